// Signals to a person's process group, sent with the person's rights: a setuid program that has become somebody else
// may be in the group, and what its own terminal's user may not kill, a client's `signal` request may not either. The
// kernel looks at the sender's real user id too, so the agent cannot send them itself without becoming open to the
// person's own signals meanwhile; a short-lived process of the person does.
import { spawn } from 'node:child_process'
import type { Account } from '../login/account.ts'
import { isSelf } from '../native/identity.ts'
import { becoming, type Tools } from './become.ts'
import { signalName } from './signals.ts'

/** $0 is the group; names of signals follow. */
const SCRIPT = 'for name; do kill -s "$name" -- "-$0"; done 2>/dev/null'

/** Of one process group. */
export class GroupSignals {
  readonly #account: Account
  readonly #tools: Tools
  /** Numbers to be sent, in order. A signal that is pending already is not pending twice, as in the kernel. */
  readonly #pending = new Set<number>()
  #sending = false

  constructor(account: Account, tools: Tools) {
    this.#account = account
    this.#tools = tools
  }

  /** Sends a signal to the group, now or after those asked for before. Nothing happens when the group has gone. */
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
    // The group is gone already; its end is on the way here.
  }
}
