// Every environment variable of every subcommand: the single registry that programs parse, documentation is generated
// from and unknown names are checked against. Defaults are safe for production.
import * as z from 'zod'
import { ACME_DEFAULTS, ACME_SETTINGS } from './settings/acme.ts'
import { DOCS_SETTINGS } from './settings/docs.ts'
import { ENROLMENT_SETTINGS } from './settings/enrolment.ts'
import { HEALTH_SETTINGS } from './settings/health.ts'
import { LIMIT_SETTINGS } from './settings/limits.ts'
import { BILLING_SETTINGS } from './settings/billing.ts'
import { MAIL_SETTINGS } from './settings/mail.ts'
import { NODE_SETTINGS } from './settings/nodes.ts'
import type { Program, SettingSpec } from './settings/spec.ts'
import { port, whole } from './settings/numbers.ts'
import { REGISTRATION_SETTINGS } from './settings/registration.ts'
import { SSH_SETTINGS } from './settings/ssh.ts'
import { STORE_SETTINGS } from './settings/store.ts'
import { TRACING_SETTINGS } from './settings/tracing.ts'
import { TUNNEL_SETTINGS } from './settings/tunnels.ts'

export type { Program }

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)
const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
const optional = z.string().min(1).optional()
const server = ['server'] as const
const agent = ['agent'] as const

export const SETTINGS = {
  BOWLINE_HOST: {
    programs: server,
    schema: z.string().default('127.0.0.1'),
    description: 'Address that the HTTP and SSH listeners bind to. 0.0.0.0 or :: opens the server to other machines.',
  },
  BOWLINE_HTTP_PORT: {
    programs: server,
    schema: port.default(8080),
    description: 'Port of console and API; with BOWLINE_ACME_EMAIL the default is 443.',
  },
  BOWLINE_SSH_PORT: { programs: server, schema: port.default(2222), description: 'Port of the SSH gateway.' },
  BOWLINE_DATA_DIR: {
    programs: server,
    schema: z.string().min(1).default('./.bowline'),
    description: 'Folder of keys, recordings and the embedded database.',
  },
  BOWLINE_DATABASE_URL: {
    programs: server,
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
      .optional(),
    description: 'External PostgreSQL 15 to 18 instead of the embedded one; the role must not be a superuser.',
    secret: true,
  },
  ...STORE_SETTINGS,
  BOWLINE_EDITION: {
    programs: server,
    schema: z.enum(['community', 'enterprise', 'cloud']).default('community'),
    description: 'community, enterprise or cloud; cloud adds what a hosted service needs.',
  },
  ...REGISTRATION_SETTINGS,
  BOWLINE_DOMAIN: {
    programs: server,
    schema: optional,
    description: 'Public host name of this server, for links, install commands and SSH lines.',
  },
  BOWLINE_PUBLIC_URL: {
    programs: server,
    schema: z
      .string()
      .regex(/^https?:\/\/[^/\s?#@]+\/?$/, 'must be http://host[:port] or https://host[:port]')
      .transform((url) => url.replace(/\/$/, ''))
      .optional(),
    description:
      'Address under which people open the console, if it is another one than BOWLINE_DOMAIN at the port of this server: behind a proxy, `https://` and the domain. Mails link to it, and passkeys are bound to it.',
  },
  BOWLINE_ALLOWED_HOSTS: {
    programs: server,
    schema: list.default([]),
    description:
      'Further host names under which this server may be asked, beside BOWLINE_DOMAIN, addresses, localhost, the names of the machine and those of the certificate; *.example.com allows every name below example.com.',
  },
  ...MAIL_SETTINGS,
  ...TUNNEL_SETTINGS,
  ...BILLING_SETTINGS,
  BOWLINE_EGRESS_ALLOWED: {
    programs: server,
    schema: list.default([]),
    description:
      'Addresses or CIDR ranges that this server may dial for connectors and test mails even though they are its own network.',
  },
  BOWLINE_TRUSTED_PROXIES: {
    programs: server,
    schema: list.default([]),
    description:
      'Comma-separated addresses or CIDR ranges whose forwarded headers are believed, and their PROXY header, on the ports of SSH, HTTP and TCP tunnels.',
  },
  BOWLINE_TLS_CERT_FILE: {
    programs: server,
    schema: optional,
    description: 'PEM certificate chain of the HTTP listener.',
  },
  BOWLINE_TLS_KEY_FILE: { programs: server, schema: optional, description: 'PEM private key of the certificate.' },
  ...ACME_SETTINGS,
  BOWLINE_SECRET_KEY: {
    programs: server,
    schema: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits (32 random bytes)')
      .optional(),
    description:
      'Key that seals the secrets in the database; default: secret.key in the data folder. Required with a database URL.',
    secret: true,
  },
  BOWLINE_NODE_SECRET: {
    programs: server,
    schema: z.string().min(16, 'must have at least 16 characters').optional(),
    description:
      'Shared secret of the nodes of one installation, sent as X-Node-Secret: opens the internal calls and /metrics. Default: node.secret in the data folder.',
    secret: true,
  },
  BOWLINE_GEOIP_FILE: {
    programs: server,
    schema: optional,
    description: 'MaxMind DB (MMDB) file with cities: places devices and sessions on the map by their addresses.',
  },
  BOWLINE_FAILED_LOGIN_DAYS: {
    programs: server,
    schema: whole(1, 3_650).default(30),
    description: 'How long logins on devices that failed stay in the list of sessions, in days.',
  },
  ...NODE_SETTINGS,
  ...SSH_SETTINGS,
  BOWLINE_DRAIN_SECONDS: {
    programs: server,
    schema: whole(0, 86_400).default(5),
    description:
      'How long running sessions may go on after the server was told to stop; new ones are refused meanwhile.',
  },
  ...LIMIT_SETTINGS,
  BOWLINE_UNCOUNTED_SOURCES: {
    programs: server,
    schema: list.default([]),
    description:
      'Addresses or CIDR ranges, such as load balancers or sites with thousands of devices behind one address, that the limits per source on SSH and HTTP connections and on links of devices do not count.',
  },
  BOWLINE_LEGACY_KEY_SIGNATURES: {
    programs: server,
    schema: z.enum(['on', 'off']).default('on'),
    description:
      'off: consoles of version 0.19 and earlier cannot open web terminals with a private key; what they sign is the user name alone, so whoever has seen such a signature can use it again.',
  },
  BOWLINE_METRICS_SOURCES: {
    programs: server,
    schema: list.default([]),
    description: 'Addresses or CIDR ranges that may read /metrics without the node secret.',
  },
  ...TRACING_SETTINGS,
  ...DOCS_SETTINGS,
  BOWLINE_LOG_LEVEL: {
    programs: ['server', 'agent'],
    schema: logLevel.default('info'),
    description: 'trace, debug, info, warn, error or silent.',
  },
  BOWLINE_SERVER_ADDRESS: {
    programs: agent,
    schema: z
      .string()
      .regex(/^https?:\/\/[^/\s]+\/?$/, 'must be http://host[:port] or https://host[:port]')
      .transform((address) => address.replace(/\/$/, '')),
    description: 'Address of the server; http:// to loopback only.',
  },
  BOWLINE_SERVER_PIN: {
    programs: agent,
    schema: z
      .string()
      .regex(/^sha256\/\/[A-Za-z0-9+/]{43}=$/, 'must be sha256// and the base64 hash of the server’s public key')
      .optional(),
    description: 'Public key that the server must show, instead of a certificate that the system trusts.',
  },
  ...ENROLMENT_SETTINGS,
  BOWLINE_PRIVATE_KEY: {
    programs: agent,
    schema: optional,
    description:
      'File of the device key; made when missing. Default: /etc/bowline/agent.key as root, else ./bowline-agent.key.',
  },
  BOWLINE_PREFERRED_HOSTNAME: { programs: agent, schema: optional, description: 'Device name to ask for.' },
  BOWLINE_PREFERRED_IDENTITY: {
    programs: agent,
    schema: optional,
    description: 'Identity instead of the MAC address of the first network interface.',
  },
  BOWLINE_SINGLE_USER_PASSWORD: {
    programs: agent,
    schema: z
      .string()
      .regex(/^\$[0-9a-z]+\$/, 'must be a crypt(3) hash, as `openssl passwd -6` prints it')
      .optional(),
    description: 'Hash of the password for single-user mode: every session runs as the agent’s own user.',
    secret: true,
  },
  BOWLINE_PAM: {
    programs: agent,
    schema: z.enum(['auto', 'on', 'off']).default('auto'),
    description:
      'The agent, as root, checks logins by PAM and runs people’s sessions inside theirs, with the service bowline, or else sshd or login, of /etc/pam.d; questions beside the password reach the person. auto: where the device has libpam and such a service. on: it must have them, and a session that PAM does not open is no login. off: never. With PAM each login has a process of its own.',
  },
  BOWLINE_KILL_ORPHANS: {
    programs: agent,
    schema: z.enum(['on', 'off']).default('off'),
    description:
      'on: what a person runs is terminated when their client or the network disconnects. off: it keeps running without its terminal or pipes, as with sshd.',
  },
  BOWLINE_CONTAINERS: {
    programs: agent,
    schema: z
      .string()
      .regex(/^\/[^\0]{1,106}$/, 'must be the absolute path of a socket')
      .optional(),
    description:
      'Socket of a container engine on the device, such as /var/run/docker.sock. A connector of the namespace then makes devices of its containers; no port is opened. Whoever controls the server controls that engine, and with it the machine. By default the engine is not offered.',
  },
  BOWLINE_PERMIT_USER_RC: {
    programs: agent,
    schema: z.enum(['on', 'off']).default('on'),
    description:
      'on: a person’s ~/.ssh/rc is run before their shell or command, as with sshd. off: it is not; /etc/ssh/sshrc is run in either case.',
  },
  ...HEALTH_SETTINGS,
  BOWLINE_KEEPALIVE_INTERVAL: {
    programs: agent,
    schema: whole(5, 300).default(20),
    description: 'Seconds between two pings of the link.',
  },
} as const satisfies Record<string, SettingSpec>

export type SettingName = keyof typeof SETTINGS
type SettingsOf<P extends Program> = {
  [K in SettingName as P extends (typeof SETTINGS)[K]['programs'][number] ? K : never]: z.output<
    (typeof SETTINGS)[K]['schema']
  >
}
export type ServerSettings = SettingsOf<'server'>
export type AgentSettings = SettingsOf<'agent'>

/** The environment is not valid for the program. `problems` has one sentence per variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads a program's settings from its environment. Variables of the other program are ignored (one environment file
 * may configure both); any other `BOWLINE_*` is an error. An empty variable counts as unset.
 * @throws {ConfigError} naming every invalid variable, its rule, and the nearest known name of an unknown one
 */
export function parseSettings<P extends Program>(
  program: P,
  env: Readonly<Record<string, string | undefined>>,
): SettingsOf<P> {
  const problems: string[] = []
  for (const name of Object.keys(env)) {
    if (name.startsWith('BOWLINE_') && !(name in SETTINGS)) {
      problems.push(`${name} is not a setting; the nearest one is ${nearestSetting(name)}.`)
    }
  }
  const settings: Record<string, unknown> = {}
  const defaults: Readonly<Record<string, string>> = env['BOWLINE_ACME_EMAIL'] ? ACME_DEFAULTS : {}
  for (const [name, spec] of Object.entries<SettingSpec>(SETTINGS)) {
    if (!spec.programs.includes(program)) continue
    const text = env[name] || defaults[name]
    const parsed = spec.schema.safeParse(text)
    if (parsed.success) settings[name] = parsed.data
    else if (text === undefined) problems.push(`${name} is required: ${spec.description}`)
    else problems.push(`${name} ${parsed.error.issues[0]?.message ?? 'is not valid'}.`)
  }
  if (problems.length) throw new ConfigError(problems)
  return settings as SettingsOf<P>
}

/** The known setting that shares the most words with `name`; ties: the fewest edits. */
export function nearestSetting(name: string): SettingName {
  const names = Object.keys(SETTINGS) as [SettingName, ...SettingName[]]
  const missing = (known: string): number => {
    const words = known.split('_')
    return name.split('_').filter((word) => !words.includes(word)).length
  }
  const isNearer = (known: string, best: string): boolean =>
    missing(known) < missing(best) ||
    (missing(known) === missing(best) && editDistance(known, name) < editDistance(best, name))
  return names.reduce((best, known) => (isNearer(known, best) ? known : best), names[0])
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution))
    }
    row = next
  }
  return row[b.length] ?? 0
}
