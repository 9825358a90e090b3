// Logins by PAM: what the machine's administrator has configured for logins (expired passwords, one-time codes,
// directories) also applies to logins through the platform. Each check is a separate process; see pam-process.ts for
// why. After success it lives as long as the login, because modules keep in memory what they must undo at the end (a
// mount, a ticket, a seat), and because the user's processes inherit what modules set for their own process.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { Semaphore } from '@bowline/base/semaphore'
import { openFilesAtStart } from '../native/limits.ts'
import { hasLibrary } from '../native/library.ts'
import { shellRefusal } from './account-rules.ts'
import { systemAccount } from './account.ts'
import { type Conversation, NOBODY, type Person } from './conversation.ts'
import type { Authority } from './passwords.ts'
import type { DeviceSession, Verdict } from './verdict.ts'
import { ownOtherProgram, ownVariables } from '../own-program.ts'
import { PamChildren } from './pam-children.ts'
import { PamLine, type PamOutcome, type PamTask } from './pam-protocol.ts'

/** Concurrency limit per phase, so that users waiting at a prompt do not block logins with a key or a password. */
const MAX_CONCURRENT = 8
/** Queue limit of unauthenticated requests. */
const MAX_WAITING = 32
/** Queue limit of logins that the platform has authorized: an office, or a job with many forks. */
const MAX_AUTHORIZED_WAITING = 512
/** Each process lives as long as its login and does almost nothing. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64', '--v8-pool-size=1']
/** Timeout for closing a session. */
const CLOSE_TIMEOUT_MS = 10_000
/** The platform allows a minute for a login; a module that takes longer is hanging. */
const LOGIN_TIMEOUT_MS = 120_000
/** Every machine with PAM has at least one of sshd and login(1). */
const SERVICES = ['bowline', 'sshd', 'login']

/** The PAM service to use; undefined when the machine has none of them. */
export function pamService(folder = '/etc/pam.d'): string | undefined {
  return SERVICES.find((name) => existsSync(`${folder}/${name}`))
}

/** Whether the machine has PAM at all. */
export function hasPam(): boolean {
  return hasLibrary('libpam.so.0')
}

/**
 * @param rules `strict`: a login without an opened session is refused; otherwise it continues without one, as with sshd
 */
export function pamAuthority(rules: { service: string; strict: boolean }): Authority {
  const turns = {
    password: new Semaphore(MAX_CONCURRENT, MAX_WAITING),
    interactive: new Semaphore(MAX_CONCURRENT, MAX_WAITING),
    account: new Semaphore(MAX_CONCURRENT, MAX_AUTHORIZED_WAITING),
  } satisfies Record<PamTask['phase'], Semaphore>
  const openFiles = String(openFilesAtStart())

  async function check(task: Pick<PamTask, 'user' | 'remote' | 'phase'>, person: Conversation): Promise<Verdict> {
    const outcome = await turns[task.phase].run(() => runTask({ ...task, ...rules, openFiles }, person))
    if (outcome === undefined) return { denied: 'busy' }
    if ('outcome' in outcome) return { denied: outcome.outcome, told: outcome.told ?? '' }
    const account = await systemAccount(task.user)
    const refusal = account ? shellRefusal(account) : ({ denied: 'unknown-user' } as const)
    if (account && !refusal) return { account, session: outcome }
    outcome.close()
    return refusal ?? { denied: 'unknown-user' }
  }

  return {
    password: (user, password, person = NOBODY) =>
      check({ user, remote: person.remote, phase: 'password' }, personWithPassword(password, person)),
    interactive: (user, person) => check({ user, remote: person.remote, phase: 'interactive' }, person),
    platform: (user, person = NOBODY) =>
      check({ user, remote: person.remote, phase: 'account' }, personWithPassword(undefined, person)),
  }
}

/** Reason for a refused login. */
type Refusal = { readonly outcome: PamOutcome; readonly told?: string | undefined }

/** A non-interactive user with one known password, or none. */
function personWithPassword(password: string | undefined, person: Person): Conversation {
  return {
    ...person,
    ask({ prompts }) {
      if (password === undefined || prompts.some(({ echo }) => echo))
        return Promise.reject(new Error('no one can answer'))
      return Promise.resolve(prompts.map(() => password))
    },
  }
}

/** @returns the session that the process keeps open, or the reason for refusal */
function runTask(task: PamTask, person: Conversation): Promise<Refusal | DeviceSession> {
  const [path, ...args] = ownOtherProgram('pam', NODE_FLAGS)
  const child = spawn(path, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', ...ownVariables() },
    cwd: '/',
  })
  const kill = (): void => void child.kill('SIGKILL')
  const say = (line: object): boolean => child.stdin.write(`${JSON.stringify(line)}\n`)
  const people = new PamChildren(say)
  const outcome = new Promise<Refusal | DeviceSession>((resolve) => {
    const gone = (): void => {
      people.lost()
      resolve({ outcome: 'unsupported' })
    }
    child.on('error', gone)
    child.on('close', gone)
    child.stdin.on('error', () => undefined)
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = parseLine(text)
      if (line && 'round' in line) {
        // The user is gone: the process sees the end of its input.
        return void person.ask(line.round).then(
          (answers) => say({ answers }),
          () => child.stdin.end(),
        )
      }
      if (line && !('outcome' in line)) return people.handle(line)
      if (line?.outcome === 'accepted') return resolve(sessionOf(child, line, people))
      resolve(line ?? { outcome: 'unsupported' })
      child.stdin.end()
    })
  })
  const life = setTimeout(kill, LOGIN_TIMEOUT_MS)
  person.disconnected.addEventListener('abort', kill)
  if (person.disconnected.aborted) kill()
  say(task)
  return outcome.finally(() => {
    clearTimeout(life)
    person.disconnected.removeEventListener('abort', kill)
  })
}

function sessionOf(
  child: ChildProcessByStdio<Writable, Readable, null>,
  { environment, told, problem }: Extract<PamLine, { outcome: 'accepted' }>,
  people: PamChildren,
): DeviceSession {
  return {
    environment: environment.map((entry) => {
      const [name = ''] = entry.split('=', 1)
      return [name, entry.slice(name.length + 1)]
    }),
    told,
    problem,
    starter: (order, release) => people.start(order, release),
    close() {
      const kill = setTimeout(() => child.kill('SIGKILL'), CLOSE_TIMEOUT_MS)
      child.once('close', () => clearTimeout(kill))
      child.stdin.end()
    },
  }
}

function parseLine(text: string): PamLine | undefined {
  try {
    return PamLine.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
