// The environment of people's processes: made from the account and the connection, never inherited from the agent. From
// the client it takes the language and the terminal and nothing else; a variable such as LD_PRELOAD or BASH_ENV
// would run code before the shell does.
import { CLIENT_VARIABLE } from '@bowline/link/stream-messages'
import type { Account } from '../login/account.ts'

const USER_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games'
const ROOT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const FALLBACK_LANGUAGE = 'C.UTF-8'
/** What the device's end of the connection is called; it has no address of its own that means anything to a peer. */
const DEVICE_END = '127.0.0.1 22'

const LANGUAGE = /^(?:LANG|LC_[A-Z]+)$/
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROL = /[\u0000-\u001f\u007f]/
/**
 * Loaders and libraries obey these, also in the program that still has the agent's rights when it is given the
 * environment (ld.so(8), secure-execution mode); and what tells of the connection is ours to say.
 */
const NOT_FROM_SYSTEM = /^(?:LD_|MALLOC_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$|SSH_CONNECTION$|SSH_AUTH_INFO)/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const ADDRESS = /^[0-9A-Fa-f.:]{1,45}$/

export interface EnvironmentInput {
  readonly account: Account
  /** What the client asked for, in order. */
  readonly requested: readonly (readonly [name: string, value: string])[]
  readonly client: { readonly address: string; readonly port: number }
  /** With a terminal: its path, and the type that the client named. */
  readonly terminal?: { readonly path: string; readonly term: string }
  /** The command or subsystem of a session that is no shell. */
  readonly originalCommand?: string
  /** Sockets of the person that the process may use: SSH_AUTH_SOCK, DISPLAY. */
  readonly offered?: readonly (readonly [name: string, value: string])[]
  readonly defaults: SystemDefaults
  /** What the system's own session sets: it has the last word, but for the connection. */
  readonly system?: readonly (readonly [name: string, value: string])[]
}

/** What this machine's own files set for every login. */
export interface SystemDefaults {
  readonly language: Readonly<Record<string, string>>
  readonly path?: string
}

/** @returns `NAME=value` strings, each name once */
export function sessionEnvironment(input: EnvironmentInput): string[] {
  const { account, client, terminal } = input
  const env = new Map<string, string>([
    ['USER', account.name],
    ['LOGNAME', account.name],
    ['HOME', account.home],
    ['SHELL', account.shell],
    ['PATH', input.defaults.path ?? (account.uid === 0 ? ROOT_PATH : USER_PATH)],
    ['MAIL', `/var/mail/${account.name}`],
    ['LANG', FALLBACK_LANGUAGE],
    ...Object.entries(input.defaults.language),
  ])
  for (const [name, value] of input.requested) {
    if (CLIENT_VARIABLE.test(name) && !CONTROL.test(value)) env.set(name, value)
  }
  for (const [name, value] of input.system ?? []) {
    if (NAME.test(name) && !NOT_FROM_SYSTEM.test(name)) env.set(name, value)
  }
  if (ADDRESS.test(client.address)) {
    env.set('SSH_CLIENT', `${client.address} ${client.port} 22`)
    env.set('SSH_CONNECTION', `${client.address} ${client.port} ${DEVICE_END}`)
  }
  if (terminal) {
    env.set('SSH_TTY', terminal.path)
    // Without a name shells take `dumb`, and so does sshd.
    if (terminal.term === '' || CONTROL.test(terminal.term)) env.delete('TERM')
    else env.set('TERM', terminal.term)
  }
  if (input.originalCommand !== undefined) env.set('SSH_ORIGINAL_COMMAND', input.originalCommand)
  for (const [name, value] of input.offered ?? []) env.set(name, value)
  return [...env].filter(([, value]) => !value.includes('\0')).map(([name, value]) => `${name}=${value}`)
}

/**
 * Reads the defaults from the texts of this machine's files: language from the first file that sets any, `PATH` from
 * environment(5).
 * @param files texts of /etc/locale.conf, /etc/default/locale and /etc/environment; undefined where missing
 */
export function systemDefaults(files: {
  localeConf?: string | undefined
  defaultLocale?: string | undefined
  environment?: string | undefined
}): SystemDefaults {
  const environment = assignments(files.environment)
  const language =
    [assignments(files.localeConf), assignments(files.defaultLocale), environment]
      .map((settings) => settings.filter(([name]) => LANGUAGE.test(name)))
      .find((settings) => settings.length > 0) ?? []
  const path = environment.findLast(([name]) => name === 'PATH')?.[1]
  return { language: Object.fromEntries(language), ...(path ? { path } : {}) }
}

/** `NAME=value` lines with optional `export` and quotes; everything else is skipped. */
function assignments(text = ''): [string, string][] {
  return text.split('\n').flatMap((line): [string, string][] => {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(?:"([^"]*)"|'([^']*)'|([^\s#]*))\s*(?:#.*)?$/.exec(line)
    return match?.[1] ? [[match[1], match[2] ?? match[3] ?? match[4] ?? '']] : []
  })
}
