// The PAM process: checks one login, keeps its session open for as long as the login lives, and is the parent of the
// user's processes: they inherit limits, the login id, a keyring or a control group that modules set for their own
// process, as from sshd's. A process, not a thread of the agent: modules are third-party code that may crash, hang,
// wait for children of their own or change process-wide state (ids, umask, signal handlers). Until the session is open
// it does one thing at a time and blocks: on modules, and on the user's answers.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { AuthReply, AuthRound } from '@bowline/link/stream-messages'
import { keepOwnLimits, limitOpenFiles, underLimits } from '../native/limits.ts'
import { PAM, startPam, type PamMessage } from '../native/pam.ts'
import { releaseStartPages } from '../native/start-pages.ts'
import { startHere } from '../process/start.ts'
import type { PamLine, PamOutcome, PamStart, PamTask } from './pam-protocol.ts'

const INPUT = 0
const OUTPUT = 1
const MAX_LINE_BYTES = 65_536
const MAX_MESSAGE_CHARACTERS = 16_384

/** Performs the task on standard input; then holds the session and starts the user's processes in it. */
export function runPamProcess(): void {
  const line = readLine()
  if (line === undefined) return
  const { service, user, remote, phase, strict, openFiles } = taskOf(line)
  const person = createPrompter()
  const pam = startPam(service, user, remote, (messages) => person.converse(messages))
  const byModules = phase !== 'account'
  let status: number = byModules ? pam.authenticate() : PAM.success
  const isKnown = status === PAM.success
  // The reason why an account is refused is only disclosed to users who presented a credential.
  if (isKnown) status = accountStatus(phase === 'interactive', pam)
  // A module that mapped the user to another one has not checked the requested user.
  const isSame = pam.user() === user
  if (phase === 'interactive') person.flushMessages()
  if (status !== PAM.success || !isSame) {
    pam.end(status)
    const outcome = status === PAM.success ? 'credential' : outcomeOf(status)
    return send({ outcome, ...(isKnown ? { told: person.takeMessages() } : {}) })
  }
  // Not the limit that Node has raised: user processes inherit it, unless modules set another.
  limitOpenFiles(BigInt(openFiles))
  const limits = keepOwnLimits()
  const problem = pam.openSession(byModules)
  if (problem !== undefined && strict) {
    pam.end(PAM.success)
    return send({ outcome: 'unsupported' })
  }
  const limited = limits.take()
  // Messages from opening a session (motd, last login) belong on a terminal, which not every login has.
  const told = person.takeMessages()
  send({ outcome: 'accepted', environment: pam.environment(), told, ...(problem === undefined ? {} : { problem }) })
  // From here on it only starts processes and waits.
  releaseStartPages()
  void startProcesses(limited).then(() => {
    if (problem === undefined) pam.closeSession()
    pam.end(PAM.success)
    process.exit(0)
  })
}

/** Starts what the agent orders, one per line, until its end of the pipe is closed. */
async function startProcesses(limited: readonly string[]): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) startOne(startOf(line), limited)
}

function startOne({ start, stdio, argv, path, env, user }: PamStart, limited: readonly string[]): void {
  const opened: number[] = []
  const open = (pipe: string, flags: number): number => {
    const fd = openSync(pipe, flags)
    opened.push(fd)
    return fd
  }
  try {
    const command = { path, argv: argv.map((argument) => Buffer.from(argument, 'base64')) }
    const child = startHere(
      {
        ...underLimits(command, limited),
        env,
        user,
        keepLimits: true,
        stdio:
          typeof stdio === 'string'
            ? stdio
            : [
                open(stdio[0], constants.O_RDONLY),
                open(stdio[1], constants.O_WRONLY),
                open(stdio[2], constants.O_WRONLY),
              ],
      },
      () => undefined,
    )
    child({
      started: (pid) => send({ started: start, pid }),
      failed: () => undefined,
      exited: (exit) => send({ exited: start, exit }),
    })
  } catch (error) {
    send({ failed: start, message: error instanceof Error ? error.message : String(error) })
  } finally {
    for (const fd of opened) closeSync(fd)
  }
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

interface Prompter {
  /** Prompts the user; messages without a prompt are sent along with the next prompt. */
  converse(messages: readonly PamMessage[]): readonly string[] | undefined
  /** Sends messages that no prompt followed, such as why an account is refused. */
  flushMessages(): void
  /** Returns them as text instead, for later. */
  takeMessages(): string
}

function createPrompter(): Prompter {
  let told: string[] = []
  const ask = (prompts: AuthRound['prompts']): string[] | undefined => {
    send({ round: { name: '', instruction: told.join('\n').slice(0, 4_096), prompts } })
    told = []
    const reply = readLine()
    return reply === undefined ? undefined : [...replyOf(reply).answers]
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
    flushMessages() {
      if (told.length > 0) ask([])
    },
    takeMessages() {
      const text = told.join('\n').slice(0, MAX_MESSAGE_CHARACTERS)
      told = []
      return text
    },
  }
}

function send(line: PamLine): void {
  writeSync(OUTPUT, `${JSON.stringify(line)}\n`)
}

// Trusted: lines of the agent, this process's parent and only peer.
const taskOf = (line: string): PamTask => JSON.parse(line)
const startOf = (line: string): PamStart => JSON.parse(line)
const replyOf = (line: string): AuthReply => JSON.parse(line)

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
