// Handles `session` streams: determines account and command, and whether this device allows it.
import { readFileSync } from 'node:fs'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import { type Pty, SessionOpen } from '@bowline/link/stream-messages'
import type { Account } from '../login/account.ts'
import { type Login, type Logins, MAX_MEMBERS } from '../login/logins.ts'
import type { Log } from '../log.ts'
import { mayTransferFiles, sftpProgram } from '../sftp/start.ts'
import type { CommandLine } from '../native/command-line.ts'
import { findTools, shellOf } from './become.ts'
import { type EnvironmentInput, sessionEnvironment, systemDefaults, type SystemDefaults } from './environment.ts'
import { GroupSignals } from './group-signals.ts'
import { launch } from './launch.ts'
import { type RcOptions, rcCommand, rcInput } from './rc/rc-files.ts'
import { Session } from './session.ts'
import { Visit } from './visit.ts'
import { startHere } from '../process/start.ts'

const SHELLS = '/etc/shells'

export interface SessionsParts {
  readonly logins: Logins
  readonly clock: Clock
  readonly log: Log
  /** Ends a user's processes when their client has disconnected. */
  readonly killOrphans: boolean
  readonly rc: RcOptions
}

interface Run {
  readonly command: CommandLine
  readonly login: boolean
  /** Whether it starts with the agent's privileges and switches to the user by itself. */
  readonly becomes: boolean
  readonly environment: Pick<EnvironmentInput, 'requested' | 'originalCommand'>
  readonly pty?: Pty | undefined
}

export class Sessions {
  readonly #parts: SessionsParts
  readonly #logins: Logins
  readonly #log: Log
  readonly #tools = findTools()
  readonly #running = new Set<Session>()

  constructor(parts: SessionsParts) {
    this.#parts = parts
    this.#logins = parts.logins
    this.#log = parts.log
  }

  /** Number of processes with a connected client. */
  get count(): number {
    return [...this.#running].filter(({ isServed }) => isServed).length
  }

  open(header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause {
    const parsed = SessionOpen.safeParse(header)
    if (!parsed.success) return refusal('protocol', 'the session request is not valid')
    const login = this.#logins.find(parsed.data.login)
    if (!login) return refusal('refused', 'the login has ended')
    if (login.members.size >= MAX_MEMBERS) return refusal('refused', 'too many sessions in this login')
    try {
      return this.#start(parsed.data, login, stream)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#log.warn('session.refused', { session: login.session, error: message })
      return refusal('refused', message)
    }
  }

  /** Ends every session. */
  close(cause: LinkCause): void {
    for (const session of this.#running) session.end(cause)
  }

  #start(request: SessionOpen, login: Login, stream: LinkStream): StreamHandler | LinkCause {
    const { account } = login
    const run = this.#run(request, account)
    if ('reason' in run) return run
    const { pty } = run
    const rc = rcCommand(account, request.run.type === 'subsystem', this.#parts.rc)
    const visit = new Visit(login, request)
    const launched = visit.guard(() =>
      launch({
        account,
        command: run.command,
        login: run.login,
        becomes: run.becomes,
        rc,
        tools: this.#tools,
        starter: login.deviceSession?.starter ?? startHere,
        environment: (path) => [
          ...environmentOf(request, login, run, path),
          ...(rc ? [rcInput(x11CookieOf(request, login))] : []),
        ],
        ...(pty
          ? {
              terminal: {
                ...pty,
                modes: Buffer.from(pty.modes, 'base64'),
                opened: (path: string) => visit.begin(path),
              },
            }
          : {}),
      }),
    )
    const fields = { session: login.session, run: request.run.type, user: account.name }
    const session: Session = new Session({
      stream,
      launched,
      clock: this.#parts.clock,
      signals: new GroupSignals(account, this.#tools),
      killOrphans: this.#parts.killOrphans,
      isOwnProgram: run.becomes,
      greeting: visit.greeting,
      left: () => visit.end(),
      started: (pid) => this.#log.info('session.started', { ...fields, pid, trace: request.trace }),
      ended: () => {
        this.#running.delete(session)
        login.members.delete(session)
        this.#log.info('session.ended', { session: login.session, pid: session.pid })
      },
    })
    this.#running.add(session)
    login.members.add(session)
    return session
  }

  /** Determines what to start: the shell alone, the shell with a command, or the agent's own program for files. */
  #run({ run, env: requested, pty }: SessionOpen, account: Account): Run | LinkCause {
    const becomes = false
    switch (run.type) {
      case 'shell':
        return { command: shellOf(account, undefined), login: true, becomes, environment: { requested }, pty }
      case 'exec': {
        const bytes = Buffer.from(run.command, 'base64')
        if (bytes.includes(0)) return refusal('refused', 'a command must not contain a NUL byte')
        const environment = { requested, originalCommand: bytes.toString('utf8') }
        return { command: shellOf(account, bytes), login: false, becomes, environment, pty }
      }
      case 'subsystem':
        return run.name === 'sftp' ? files(account) : refusal('refused', `this device has no subsystem ${run.name}`)
    }
  }
}

/** The program for files. It starts with the agent's privileges: its environment holds nothing from the client. */
function files(account: Account): Run | LinkCause {
  if (!mayTransferFiles(account, readText(SHELLS))) {
    return { by: 'agent', reason: 'shell', message: `the shell of ${account.name} does not allow file transfer` }
  }
  const environment = { requested: [], originalCommand: 'sftp' }
  return { command: sftpProgram(account), login: false, becomes: true, environment }
}

function environmentOf(request: SessionOpen, login: Login, run: Run, terminalPath: string | undefined): string[] {
  const { deviceSession: session } = login
  return sessionEnvironment({
    account: login.account,
    offered: [request.agent, request.x11].flatMap((id) => {
      const offer = id === undefined ? undefined : login.listeners.get(id)
      return offer ? [offer.variable] : []
    }),
    ...run.environment,
    client: request.client,
    // With a PAM session, its modules decide whether the system's files are read.
    defaults: session && session.problem === undefined ? { language: {} } : readDefaults(),
    // A program that starts with the agent's privileges gets only our own variables.
    ...(session && !run.becomes ? { system: session.environment } : {}),
    ...(terminalPath && run.pty ? { terminal: { path: terminalPath, term: run.pty.term } } : {}),
  })
}

function x11CookieOf({ x11 }: SessionOpen, login: Login): string | undefined {
  return x11 === undefined ? undefined : login.listeners.get(x11)?.cookie
}

/** Read for each session: they are small, and administrators expect changes to apply at the next login. */
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
