// Builds the command lines that people copy. All untrusted values are quoted for a POSIX shell.

/** Address of the SSH gateway. */
export interface SshEndpoint {
  readonly host: string
  readonly port: number
}

const SSH_PORT = 22

/** Parses `host:port`, `[ipv6]:port` or a bare host (port 22). */
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

/** The SSH line of a device in three parts, around the user name, so that the name can be edited in place. */
export function sshLineParts(endpoint: SshEndpoint, target: SshTarget): { before: string; after: string } {
  const before = endpoint.port === SSH_PORT ? 'ssh ' : `ssh -p ${endpoint.port} `
  return { before, after: `@${target.namespace}.${target.device}@${endpoint.host}` }
}

/** `ssh -p PORT user@namespace.device@HOST`; the port is left out when it is 22. */
export function sshLine(endpoint: SshEndpoint, target: SshTarget, user: string): string {
  const { before, after } = sshLineParts(endpoint, target)
  return before + shellQuote(user + after)
}

/** The command that enrols a device without an agent, run by its own ssh client. @param key an install key */
export function enrolCommand({ host, port }: SshEndpoint, key: string): string {
  const at = port === SSH_PORT ? '' : `-p ${port} `
  return `ssh ${at}-R 0:localhost:22 ${shellQuote(`${key}@${host}`)}`
}

/**
 * The command that installs the agent and registers the device.
 * @param origin of this page
 * @param pin `sha256//…` of a self-signed certificate's key, '' when the system trusts the certificate
 */
export function installCommand(origin: string, tenant: string, pin: string): string {
  const curl = pin === '' ? 'curl -fsSL' : `curl -fsSLk --pinnedpubkey '${pin}'`
  // Do not follow a redirect to an unencrypted protocol.
  const only = origin.startsWith('https:') ? " --proto '=https'" : ''
  return `${curl}${only} '${origin}/install.sh?tenant_id=${tenant}' | sh`
}
