// The PAM process: checks one login and ends. A process, not a thread of the agent: modules are foreign code that may
// crash, hang, wait for children of their own or change what a whole process shares (ids, umask, signal handlers).
// It does one thing at a time, so it may simply wait: for modules, and for the person's answers.
import { readSync, writeSync } from 'node:fs'
import { AuthReply } from '@bowline/link/streams'
import { PAM, startPam, type PamMessage } from '../native/pam.ts'
import { type PamLine, type PamOutcome, PamTask } from './pam-protocol.ts'

const INPUT = 0
const OUTPUT = 1
const MAX_LINE_BYTES = 65_536

/** Answers the task on standard input. */
export function runPamProcess(): void {
  const line = readLine()
  if (line === undefined) return
  const task = PamTask.parse(JSON.parse(line))
  say({ outcome: judge(task) })
}

function judge({ service, user, remote, phase }: PamTask): PamOutcome {
  const pam = startPam(service, user, remote, asking())
  const steps = [
    () => (phase === 'account' ? PAM.success : pam.authenticate()),
    () => accountStatus(phase === 'interactive', pam),
  ]
  let status: number = PAM.success
  for (const step of steps) if (status === PAM.success) status = step()
  const isSame = pam.user() === user
  pam.end(status)
  // A module that has made somebody else of the person has not checked the one who is to get in.
  return status === PAM.success && !isSame ? 'credential' : outcomeOf(status)
}

function accountStatus(mayChange: boolean, pam: ReturnType<typeof startPam>): number {
  const status = pam.account()
  return status === PAM.newTokenRequired && mayChange ? pam.changeToken() : status
}

function outcomeOf(status: number): PamOutcome {
  switch (status) {
    case PAM.success:
      return 'accepted'
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

/** Puts questions to the person; what modules only tell goes along with the next question. */
function asking(): (messages: readonly PamMessage[]) => readonly string[] | undefined {
  let told: string[] = []
  return (messages) => {
    const isQuestion = ({ style }: PamMessage): boolean => style === 'hidden' || style === 'shown'
    told.push(...messages.filter((message) => !isQuestion(message)).map(({ text }) => text))
    const prompts = messages.filter(isQuestion).map(({ style, text }) => ({
      text: text.slice(0, 1_024),
      echo: style === 'shown',
    }))
    if (prompts.length === 0) return messages.map(() => '')
    say({ round: { name: '', instruction: told.join('\n').slice(0, 4_096), prompts } })
    told = []
    const reply = readLine()
    if (reply === undefined) return undefined
    const answers = [...AuthReply.parse(JSON.parse(reply)).answers]
    return messages.map((message) => (isQuestion(message) ? (answers.shift() ?? '') : ''))
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
