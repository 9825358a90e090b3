// The PAM process: checks one login, and keeps its session open for as long as the login lives. A process, not a thread
// of the agent: modules are foreign code that may crash, hang, wait for children of their own or change what a whole
// process shares (ids, umask, signal handlers). It does one thing at a time, so it may simply wait: for modules, and for the person's answers.
import { readSync, writeSync } from 'node:fs'
import { AuthReply, type AuthRound } from '@bowline/link/streams'
import { PAM, startPam, type PamMessage } from '../native/pam.ts'
import { releaseStartPages } from '../native/start-pages.ts'
import { type PamLine, type PamOutcome, PamTask } from './pam-protocol.ts'

const INPUT = 0
const OUTPUT = 1
const MAX_LINE_BYTES = 65_536

/** Answers the task on standard input. */
export function runPamProcess(): void {
  const line = readLine()
  if (line === undefined) return
  const { service, user, remote, phase } = PamTask.parse(JSON.parse(line))
  const person = talk()
  const pam = startPam(service, user, remote, (messages) => person.converse(messages))
  let status: number = phase === 'account' ? PAM.success : pam.authenticate()
  if (status === PAM.success) status = accountStatus(phase === 'interactive', pam)
  // A module that has made somebody else of the person has not checked the one who is to get in.
  const isSame = pam.user() === user
  // Not what is said at the opening of a session (motd, lastlog): that belongs on a terminal, and not every login has one.
  if (phase === 'interactive') person.tellRest()
  const isOpen = status === PAM.success && isSame && pam.openSession() === PAM.success
  if (!isOpen) {
    pam.end(status)
    return say({ outcome: status !== PAM.success ? outcomeOf(status) : isSame ? 'unsupported' : 'credential' })
  }
  say({ outcome: 'accepted', environment: pam.environment() })
  // From here on it only waits.
  releaseStartPages()
  while (readLine() !== undefined);
  pam.closeSession()
  pam.end(PAM.success)
}

function accountStatus(mayChange: boolean, pam: ReturnType<typeof startPam>): number {
  const status = pam.account()
  return status === PAM.newTokenRequired && mayChange ? pam.changeToken() : status
}

function outcomeOf(status: number): PamOutcome {
  switch (status) {
    case PAM.userUnknown:
      return 'unknown-user'
    case PAM.permissionDenied:
      return 'locked'
    case PAM.newTokenRequired:
    case PAM.accountExpired:
    case PAM.tokenExpired:
      return 'expired'
    default:
      return 'credential'
  }
}

interface Talk {
  /** Puts questions to the person; what modules only tell goes along with the next question. */
  converse(messages: readonly PamMessage[]): readonly string[] | undefined
  /** Tells what no question came after, such as why an account is refused. */
  tellRest(): void
}

function talk(): Talk {
  let told: string[] = []
  const ask = (prompts: AuthRound['prompts']): string[] | undefined => {
    say({ round: { name: '', instruction: told.join('\n').slice(0, 4_096), prompts } })
    told = []
    const reply = readLine()
    return reply === undefined ? undefined : [...AuthReply.parse(JSON.parse(reply)).answers]
  }
  return {
    converse(messages) {
      const isQuestion = ({ style }: PamMessage): boolean => style === 'hidden' || style === 'shown'
      told.push(...messages.filter((message) => !isQuestion(message)).map(({ text }) => text))
      const prompts = messages.filter(isQuestion).map(({ style, text }) => ({
        text: text.slice(0, 1_024),
        echo: style === 'shown',
      }))
      if (prompts.length === 0) return messages.map(() => '')
      const answers = ask(prompts)
      return answers && messages.map((message) => (isQuestion(message) ? (answers.shift() ?? '') : ''))
    },
    tellRest() {
      if (told.length > 0) ask([])
    },
  }
}

function say(line: PamLine): void {
  writeSync(OUTPUT, `${JSON.stringify(line)}\n`)
}

/** Undefined when the agent has closed its end. */
function readLine(): string | undefined {
  const byte = Buffer.alloc(1)
  const bytes: number[] = []
  while (bytes.length < MAX_LINE_BYTES) {
    if (readSync(INPUT, byte) === 0) return undefined
    if (byte[0] === 0x0a) return Buffer.from(bytes).toString('utf8')
    bytes.push(byte[0] ?? 0)
  }
  return undefined
}
