// Logins by PAM: what the machine's administrator has set up for people (expired passwords, one-time codes, directories)
// holds for logins through the platform too. Each check is a process of its own; see pam-process.ts for why. After a right
// answer it lives on with the login, because modules keep in memory what they have to undo at the end (a mount, a ticket, a
// seat). Limits that modules set for their own process (pam_limits) do not reach what the person runs.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { systemAccount } from './account.ts'
import { type Conversation, NOBODY, type Person } from './conversation.ts'
import type { Authority, DeviceSession, Verdict } from './passwords.ts'
import { PamLine, type PamOutcome, type PamTask } from './pam-protocol.ts'
import { Turns } from './turns.ts'

/** Conversations wait for people: more of them at once than checks that only compute. */
const AT_ONCE = 8
const WAITING = 32
/** To close a session. */
const CLOSE_MS = 10_000
/** The platform gives a person a minute to log in; a module that takes longer has hung. */
const LIFE_MS = 120_000
const SERVICES = ['bowline', 'sshd']

/** The service whose rules hold; undefined when the machine has none for us. */
export function pamService(folder = '/etc/pam.d'): string | undefined {
  return SERVICES.find((name) => existsSync(`${folder}/${name}`))
}

/** @param program command line that ends in `runPamProcess` */
export function pamAuthority(program: readonly string[], service: string): Authority {
  const turns = new Turns(AT_ONCE, WAITING)

  async function check(task: Omit<PamTask, 'service'>, person: Conversation): Promise<Verdict> {
    const outcome = await turns.take(() => runTask(program, { ...task, service }, person))
    if (outcome === undefined) return { denied: 'busy' }
    if (typeof outcome === 'string') return { denied: outcome }
    const account = await systemAccount(task.user)
    if (account) return { account, session: outcome }
    outcome.close()
    return { denied: 'unknown-user' }
  }

  return {
    password: (user, password, person = NOBODY) =>
      check({ user, remote: person.remote, phase: 'password' }, knowing(password, person)),
    interactive: (user, person) => check({ user, remote: person.remote, phase: 'interactive' }, person),
    platform: (user, person = NOBODY) =>
      check({ user, remote: person.remote, phase: 'account' }, knowing(undefined, person)),
  }
}

/** Somebody of whom one password is known, or nothing at all. */
function knowing(password: string | undefined, person: Person): Conversation {
  return {
    ...person,
    ask({ prompts }) {
      if (password === undefined || prompts.some(({ echo }) => echo)) return Promise.reject(new Error('nobody answers'))
      return Promise.resolve(prompts.map(() => password))
    },
  }
}

/** @returns the session that the process keeps open, or why there is none */
function runTask(program: readonly string[], task: PamTask, person: Conversation): Promise<PamOutcome | DeviceSession> {
  const [path = '', ...args] = program
  const child = spawn(path, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
    cwd: '/',
  })
  const kill = (): void => void child.kill('SIGKILL')
  const say = (line: object): boolean => child.stdin.write(`${JSON.stringify(line)}\n`)
  const judged = new Promise<PamOutcome | DeviceSession>((resolve) => {
    child.on('error', () => resolve('unsupported'))
    child.on('close', () => resolve('unsupported'))
    child.stdin.on('error', () => undefined)
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = parseLine(text)
      if (line && 'round' in line) {
        // Nobody answers any more: the process reads that as the end of its input.
        return void person.ask(line.round).then(
          (answers) => say({ answers }),
          () => child.stdin.end(),
        )
      }
      if (line?.outcome === 'accepted') return resolve(sessionOf(child, line.environment))
      resolve(line?.outcome ?? 'unsupported')
      child.stdin.end()
    })
  })
  const life = setTimeout(kill, LIFE_MS)
  person.gone.addEventListener('abort', kill)
  if (person.gone.aborted) kill()
  say(task)
  return judged.finally(() => {
    clearTimeout(life)
    person.gone.removeEventListener('abort', kill)
  })
}

function sessionOf(
  child: ChildProcessByStdio<Writable, Readable, null>,
  environment: readonly string[],
): DeviceSession {
  return {
    environment: environment.map((entry) => {
      const [name = ''] = entry.split('=', 1)
      return [name, entry.slice(name.length + 1)]
    }),
    close() {
      const kill = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS)
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
