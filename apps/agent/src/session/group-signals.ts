// Signals to a user's process group, sent with the user's permissions: a setuid program that runs as another user may
// be in the group, and a client's `signal` request must not kill what the user could not. The kernel checks the
// sender's real user id too, so the agent cannot send them itself without exposing itself to the user's signals; a
// short-lived process of the user does.
import { spawn } from 'node:child_process'
import type { Account } from '../login/account.ts'
import { isSelf } from '../native/identity.ts'
import { becoming, type Tools } from './become.ts'
import { signalName } from './signals.ts'

/** $0 is the group; signal names follow. */
const SCRIPT = 'for name; do kill -s "$name" -- "-$0"; done 2>/dev/null'

/** Sends the signals of one process group. */
export class GroupSignals {
  readonly #account: Account
  readonly #tools: Tools
  /** Pending signal numbers, in order. As in the kernel, a pending signal is not queued twice. */
  readonly #pending = new Set<number>()
  #sending = false

  constructor(account: Account, tools: Tools) {
    this.#account = account
    this.#tools = tools
  }

  /** Sends a signal to the group, after those still pending. Does nothing when the group has gone. */
  send(group: number, signal: number): void {
    if (this.#account.uid === 0 || isSelf(this.#account)) return sendAsAgent(group, signal)
    this.#pending.add(signal)
    if (!this.#sending) this.#sendPending(group)
  }

  #sendPending(group: number): void {
    const names = [...this.#pending].flatMap((number) => signalName(number) ?? [])
    this.#pending.clear()
    if (names.length === 0) return
    const shell = { path: '/bin/sh', argv: ['sh', '-c', SCRIPT, String(group), ...names] }
    const { path, argv } = becoming(this.#account, shell, false, this.#tools, '')
    const [, ...args] = argv.map((argument) => Buffer.from(argument).toString())
    const sent = (): void => {
      this.#sending = false
      this.#sendPending(group)
    }
    this.#sending = true
    spawn(path, args, { stdio: 'ignore', env: {}, cwd: '/' }).once('error', sent).once('exit', sent)
  }
}

function sendAsAgent(group: number, signal: number): void {
  try {
    process.kill(-group, signal)
  } catch {
    // The group has already exited; the notification is on its way.
  }
}
