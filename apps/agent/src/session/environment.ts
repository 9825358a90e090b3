// The environment of user processes: derived from the account and the connection, never inherited from the agent. Only
// language and terminal are accepted from the client; a variable such as LD_PRELOAD or BASH_ENV would run code before
// the shell does.
import { CLIENT_VARIABLE } from '@bowline/link/stream-messages'
import type { Account } from '../login/account.ts'

const USER_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games'
const ROOT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const FALLBACK_LANGUAGE = 'C.UTF-8'
/** The device's end of the connection in SSH_CONNECTION; it has no address that is meaningful to a peer. */
const DEVICE_END = '127.0.0.1 22'

const LANGUAGE = /^(?:LANG|LC_[A-Z]+)$/
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const CONTROL = /[\u0000-\u001f\u007f]/
/**
 * Loaders and libraries obey these, even in the program that still has the agent's privileges when it gets the
 * environment (ld.so(8), secure-execution mode); variables about the connection are ours.
 */
const NOT_FROM_SYSTEM = /^(?:LD_|MALLOC_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$|SSH_CONNECTION$|SSH_AUTH_INFO)/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const ADDRESS = /^[0-9A-Fa-f.:]{1,45}$/

export interface EnvironmentInput {
  readonly account: Account
  /** Variables requested by the client, in order. */
  readonly requested: readonly (readonly [name: string, value: string])[]
  readonly client: { readonly address: string; readonly port: number }
  /** With a terminal: its path, and the type named by the client. */
  readonly terminal?: { readonly path: string; readonly term: string }
  /** The command or subsystem of a session that is not a shell. */
  readonly originalCommand?: string
  /** Forwarded sockets that the process may use: SSH_AUTH_SOCK, DISPLAY. */
  readonly offered?: readonly (readonly [name: string, value: string])[]
  readonly defaults: SystemDefaults
  /** Variables of the system's own session: they take precedence, except for the connection. */
  readonly system?: readonly (readonly [name: string, value: string])[]
}

/** Defaults from this machine's own files for every login. */
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
    // Without a type shells assume `dumb`, and so does sshd.
    if (terminal.term === '' || CONTROL.test(terminal.term)) env.delete('TERM')
    else env.set('TERM', terminal.term)
  }
  if (input.originalCommand !== undefined) env.set('SSH_ORIGINAL_COMMAND', input.originalCommand)
  for (const [name, value] of input.offered ?? []) env.set(name, value)
  return [...env].filter(([, value]) => !value.includes('\0')).map(([name, value]) => `${name}=${value}`)
}

/**
 * Parses the defaults of this machine's files: language from the first file that sets any, `PATH` from environment(5).
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
