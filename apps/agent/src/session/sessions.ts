// Answers `session` streams: who it is for, what to run, and whether that is allowed here.
import { existsSync, readFileSync } from 'node:fs'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { LinkClock } from '@bowline/link/clock'
import { SessionOpen } from '@bowline/link/streams'
import type { Account } from '../login/account.ts'
import { type Login, type Logins, MAX_MEMBERS } from '../login/logins.ts'
import type { Log } from '../log.ts'
import { findTools, shellOf } from './become.ts'
import { sessionEnvironment, systemDefaults, type SystemDefaults } from './environment.ts'
import { launch } from './launch.ts'
import { Session } from './session.ts'

const NOLOGIN = '/etc/nologin'
const SFTP_SERVERS = ['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server', '/usr/lib/ssh/sftp-server']

export interface SessionsParts {
  readonly logins: Logins
  readonly clock: LinkClock
  readonly log: Log
}

export class Sessions {
  readonly #logins: Logins
  readonly #clock: LinkClock
  readonly #log: Log
  readonly #tools = findTools()
  readonly #running = new Set<Session>()

  constructor(parts: SessionsParts) {
    this.#logins = parts.logins
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Processes that have not ended yet. */
  get count(): number {
    return this.#running.size
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = SessionOpen.safeParse(header)
    if (!parsed.success) return refusal('protocol', 'the session request is not valid')
    const login = this.#logins.find(parsed.data.login)
    if (!login) return refusal('refused', 'the login has ended')
    try {
      const problem = this.#problem(login)
      return problem ?? this.#start(parsed.data, login, stream)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#log.warn('session-refused', 'a session could not be started', { session: login.session, error: message })
      return refusal('refused', message)
    }
  }

  /** Ends every session. */
  close(cause: LinkCause): void {
    for (const session of this.#running) session.end(cause)
  }

  #problem(login: Login): LinkCause | undefined {
    if (login.members.size >= MAX_MEMBERS) return refusal('refused', 'too many sessions in this login')
    // nologin(5): everybody but root stays out while the file exists.
    if (login.account.uid === 0 || !existsSync(NOLOGIN)) return undefined
    const text = readText(NOLOGIN)?.trim() || 'logins are switched off on this device'
    return { by: 'policy', reason: 'nologin', message: text.slice(0, 512) }
  }

  #start(request: SessionOpen, login: Login, stream: LinkStream): StreamHandler | LinkCause {
    const { account } = login
    const command = commandOf(request)
    if (command && 'reason' in command) return command
    if (command?.includes(0)) return refusal('refused', 'a command cannot hold a NUL byte')
    const { pty } = request
    const launched = launch({
      account,
      command: shellOf(account, command),
      login: command === undefined,
      tools: this.#tools,
      environment: (path) => this.#environment(request, account, command, path),
      ...(pty ? { terminal: { ...pty, modes: Buffer.from(pty.modes, 'base64') } } : {}),
    })
    const session = new Session({
      stream,
      launched,
      clock: this.#clock,
      ended: () => {
        this.#running.delete(session)
        login.members.delete(session)
        this.#log.info('session-ended', 'a process ended', { session: login.session, pid: launched.pid })
      },
    })
    this.#running.add(session)
    login.members.add(session)
    const fields = { session: login.session, pid: launched.pid, run: request.run.type, user: account.name }
    this.#log.info('session-started', 'a process was started', fields)
    return session
  }

  #environment(
    request: SessionOpen,
    account: Account,
    command: Uint8Array | undefined,
    terminalPath: string | undefined,
  ): string[] {
    return sessionEnvironment({
      account,
      requested: request.env,
      client: request.client,
      defaults: readDefaults(),
      ...(terminalPath && request.pty ? { terminal: { path: terminalPath, term: request.pty.term } } : {}),
      ...(command ? { originalCommand: Buffer.from(command).toString('utf8') } : {}),
    })
  }
}

/** What the shell is to run: undefined for a login shell. */
function commandOf({ run }: SessionOpen): Uint8Array | LinkCause | undefined {
  switch (run.type) {
    case 'shell':
      return undefined
    case 'exec':
      return Buffer.from(run.command, 'base64')
    case 'subsystem': {
      const server = run.name === 'sftp' ? SFTP_SERVERS.find((path) => existsSync(path)) : undefined
      // Through the shell, as sshd does: an account whose shell is nologin has no SFTP either.
      return server ? Buffer.from(server) : refusal('refused', `this device has no subsystem ${run.name}`)
    }
  }
}

/** Read for each session: they are small, and an administrator expects a change to count at the next login. */
function readDefaults(): SystemDefaults {
  return systemDefaults({
    localeConf: readText('/etc/locale.conf'),
    defaultLocale: readText('/etc/default/locale'),
    environment: readText('/etc/environment'),
  })
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function refusal(reason: string, message: string): LinkCause {
  return { by: 'agent', reason, message }
}
