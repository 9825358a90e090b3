// Command lines that people copy. Everything from outside is quoted for a POSIX shell.

/** Where the SSH gateway listens. */
export interface SshEndpoint {
  readonly host: string
  readonly port: number
}

const SSH_PORT = 22

/** Reads `host:port`, `[ipv6]:port` or a bare host (port 22). */
export function parseSshEndpoint(endpoint: string): SshEndpoint {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(endpoint)
  if (!match) return { host: endpoint, port: SSH_PORT }
  return { host: match[1] ?? match[2] ?? '', port: match[3] === undefined ? SSH_PORT : Number(match[3]) }
}

/** Leaves plain words alone and quotes everything else, so that the shell passes it on unchanged. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export interface SshTarget {
  readonly namespace: string
  readonly device: string
}

/** The three parts of a device's SSH line: before, and after, the user name. For showing it with the name editable. */
export function sshLineParts(endpoint: SshEndpoint, target: SshTarget): { before: string; after: string } {
  const before = endpoint.port === SSH_PORT ? 'ssh ' : `ssh -p ${endpoint.port} `
  return { before, after: `@${target.namespace}.${target.device}@${endpoint.host}` }
}

/** `ssh -p PORT user@namespace.device@HOST`; the port is left out when it is 22. */
export function sshLine(endpoint: SshEndpoint, target: SshTarget, user: string): string {
  const { before, after } = sshLineParts(endpoint, target)
  return before + shellQuote(user + after)
}

/**
 * The command that installs the agent and registers the device.
 * @param origin of this page
 * @param pin `sha256//…` of a self-signed certificate's key, '' when the system trusts the certificate
 */
export function installCommand(origin: string, tenant: string, pin: string): string {
  const curl = pin === '' ? 'curl -fsSL' : `curl -fsSLk --pinnedpubkey '${pin}'`
  // A redirection must not lead to a protocol without encryption.
  const only = origin.startsWith('https:') ? " --proto '=https'" : ''
  return `${curl}${only} '${origin}/install.sh?tenant_id=${tenant}' | sh`
}
