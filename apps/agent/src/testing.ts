// Test support for the agent: a gateway's end of a link in memory, with logins and sessions as the gateway opens them.
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Link, LinkMessage } from '@bowline/link/api'
import { foregroundClock, type Clock } from '@bowline/base/clock'
import { AuthAnswer, SessionEvent, type SessionOpen } from '@bowline/link/stream-messages'
import { linkPair, RecordedStream } from '@bowline/link/testing/pair'
import { AgentStreams } from './agent-streams.ts'
import { until } from '@bowline/testkit/until'
import type { HealthReports } from './health/health-reports.ts'
import { createLog } from './log.ts'
import { ownAccount, type Account } from './login/account.ts'
import { askPassword } from './login/conversation.ts'
import type { Authority } from './login/passwords.ts'
import type { StatementVerifier } from './login/statement.ts'

export const SESSION_UID = 'ab'.repeat(32)

/** The agent's own user with a shell that reads no startup files. */
export const ACCOUNT: Account = { ...ownAccount(process.env), shell: '/bin/sh', home: tmpdir() }

/** Accepts the password `right` for the given account, and every platform login. */
export function fakeAuthority(account: Account = ACCOUNT): Authority {
  return {
    password: async (_user, password) => (password === 'right' ? { account } : { denied: 'credential' }),
    interactive: async (_user, conversation) =>
      (await askPassword(conversation)) === 'right' ? { account } : { denied: 'credential' },
    platform: async () => ({ account }),
  }
}

const noStatements: StatementVerifier = { verify: () => 'unsupported' }

/** An agent and the gateway's end of its link. */
export interface AgentUnderTest {
  readonly gateway: Link
  readonly streams: AgentStreams
  /** Streams that the agent has opened to the gateway. */
  readonly accepted: RecordedStream[]
  /** Log lines, parsed. */
  readonly log: Record<string, unknown>[]
  /** Errors thrown by callbacks; empty when all is well. */
  readonly errors: unknown[]
}

export function startAgent(
  options: {
    authority?: Authority
    statements?: StatementVerifier
    clock?: Clock
    windowBytes?: number
    killOrphans?: boolean
    permitUserRc?: boolean
    systemRc?: string
    engineSocket?: string
    health?: HealthReports
  } = {},
): AgentUnderTest {
  const log: Record<string, unknown>[] = []
  const accepted: RecordedStream[] = []
  const streams = new AgentStreams({
    authority: options.authority ?? fakeAuthority(),
    statements: options.statements ?? noStatements,
    clock: options.clock ?? foregroundClock,
    killOrphans: options.killOrphans ?? false,
    // None, regardless of this machine's.
    rc: { permitUserRc: options.permitUserRc ?? true, systemRc: options.systemRc ?? '/nonexistent/sshrc' },
    engineSocket: options.engineSocket,
    health: options.health,
    log: createLog('trace', (line) => log.push(JSON.parse(line)), false),
  })
  const pair = linkPair({
    agent: { open: (kind, header, stream) => streams.open(kind, header, stream) },
    gateway: { open: RecordedStream.accept(accepted) },
    ...(options.windowBytes ? { options: { windowBytes: options.windowBytes } } : {}),
  })
  streams.link = pair.agent
  return { gateway: pair.gateway, streams, accepted, log, errors: pair.errors }
}

/** Opens an `auth` stream and sends credentials in order, waiting for each verdict. */
export async function offer(gateway: Link, credentials: readonly LinkMessage[], user = 'someone') {
  const header = { session: SESSION_UID, user, remote: '203.0.113.5' }
  const stream = RecordedStream.open(gateway, 'auth', header)
  for (const [index, credential] of credentials.entries()) {
    stream.stream.control(credential)
    await until(() => stream.messages.length > index || stream.cause !== undefined)
  }
  return { stream, answers: stream.messages.map((message) => AuthAnswer.parse(message)) }
}

/** An accepted login; sessions refer to its stream's id. */
export async function logIn(gateway: Link, user?: string): Promise<RecordedStream> {
  const { stream, answers } = await offer(gateway, [{ method: 'password', password: 'right' }], user)
  if (answers[0]?.type !== 'accepted') throw new Error(`the login was not accepted: ${JSON.stringify(answers)}`)
  return stream
}

type SessionRequest = Partial<Omit<SessionOpen, 'login'>>
export const TERMINAL = { columns: 80, rows: 24, width: 0, height: 0, term: 'xterm', modes: '' } as const

/** Opens a `session` stream for a login. */
export function openSession(
  gateway: Link,
  login: RecordedStream,
  request: SessionRequest = {},
  options: { consume?: boolean } = {},
) {
  const header = {
    login: login.stream?.id,
    run: { type: 'shell' },
    env: [],
    client: { address: '203.0.113.5', port: 50_022 },
    ...request,
  }
  return RecordedStream.open(gateway, 'session', header, options)
}

export function exec(command: string): SessionOpen['run'] {
  return { type: 'exec', command: Buffer.from(command).toString('base64') }
}

/** The exit of a session whose stream has closed. */
export async function exitOfSession(session: RecordedStream): Promise<SessionEvent | undefined> {
  await session.whenClosed()
  return session.messages.map((message) => SessionEvent.parse(message)).findLast((event) => event.type !== 'started')
}

/** Logs in, runs a command and waits for its end. */
export async function run(gateway: Link, command: string, request: SessionRequest = {}, input?: string) {
  const login = await logIn(gateway)
  const session = openSession(gateway, login, { run: exec(command), ...request })
  if (input !== undefined) session.stream.write(Buffer.from(input))
  session.stream.eof()
  const exit = await exitOfSession(session)
  login.stream?.close()
  return { exit, stdout: session.text(0), stderr: session.text(1), cause: session.cause }
}

/** Whether a process still runs; a zombie does not. */
export function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
