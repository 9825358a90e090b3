// One `session` stream and its process: bytes both ways with credit, control messages, and an end at which no output is
// lost. Either the process exits first (its output to the end, the exit message, then close), or the stream closes first.
// Then the process loses its pipes or its terminal and goes on, as with sshd: it ends by SIGHUP of its terminal, by
// SIGPIPE, or when it wants to. Only who closes the session on purpose ends what runs in it.
import { constants } from 'node:os'
import type { Lane, LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { Clock } from '@bowline/base/clock'
import { SessionControl, type SessionEvent } from '@bowline/link/stream-messages'
import { readable } from '../native/descriptors.ts'
import type { Exit } from '../native/exits.ts'
import { setTerminalSize, signalForeground } from '../native/terminal.ts'
import type { GroupSignals } from './group-signals.ts'
import { readTerminal, readPipe, type BytesReader, type Output } from './output.ts'
import { PipeInput, TerminalInput, type ProcessInput } from './input.ts'
import type { Launched } from './launch.ts'
import { exitSignalName, signalNumber } from './signals.ts'

/** Time to end after SIGHUP before SIGKILL where a session is closed on purpose, milliseconds. */
const GRACE_MS = 5_000
/** More than a terminal can hold at the moment its session leader exits; what comes later was written later. */
const TERMINAL_REST_BYTES = 256 * 1024
const { SIGINT, SIGHUP, SIGCONT, SIGKILL } = constants.signals

export interface SessionParts {
  readonly stream: LinkStream
  readonly launched: Launched
  readonly clock: Clock
  readonly signals: GroupSignals
  /** End the processes also when the person or the network has gone. */
  readonly killOrphans: boolean
  /** Called once, when the process runs. */
  readonly started: (pid: number) => void
  /** What a shell's terminal shows first; `quiet`: the person wants to see as little as possible. */
  readonly greeting: { readonly text: Uint8Array; readonly quiet: boolean } | undefined
  /** Called once, when nobody is connected any more. */
  readonly left: () => void
  /** Called once, when the process has been reaped, or never came to be, and its output is over. */
  readonly ended: () => void
}

export class Session implements StreamHandler {
  readonly borrows = true
  readonly #stream: LinkStream
  readonly #parts: SessionParts
  readonly #signals: GroupSignals
  /** Undefined until the process runs. */
  #pid: number | undefined
  /** Master side, when there is a terminal. */
  readonly #terminal: number | undefined
  readonly #clock: Clock
  readonly #ended: () => void
  readonly #stdin: ProcessInput
  readonly #stdout: Output
  /** Outputs that may bring more. */
  readonly #outputs = new Set<Output>()
  /** Output that came before the news that the process runs; news of PAM's process are a moment late. */
  readonly #earlyOutput: (() => void)[] = []
  /** Signals that came before the process ran. */
  readonly #early: number[] = []
  #exit: Exit | undefined
  #closed = false
  #paused = false
  #restBytes = TERMINAL_REST_BYTES
  #cancelTimer: () => void = () => {}

  constructor(parts: SessionParts) {
    const { launched } = parts
    this.#stream = parts.stream
    this.#parts = parts
    this.#signals = parts.signals
    this.#clock = parts.clock
    this.#ended = parts.ended
    const taken = (count: number): void => this.#stream.consumed(count)
    if ('terminal' in launched) {
      this.#terminal = launched.terminal
      this.#stdout = this.#watch(readTerminal(launched.terminal, this.#reader(0)))
      const { socket } = this.#stdout
      this.#stdin = new TerminalInput(launched.terminal, () => !socket.destroyed, parts.clock, taken)
    } else {
      this.#stdin = new PipeInput(launched.stdin, taken)
      this.#stdout = this.#watch(readPipe(launched.stdout, this.#reader(0)))
      this.#watch(readPipe(launched.stderr, this.#reader(1)))
    }
    launched.child({
      started: (pid) => this.#started(pid),
      failed: (error) => this.#failed(error),
      exited: (exit) => this.#exited(exit),
    })
  }

  get pid(): number | undefined {
    return this.#pid
  }

  /** Whether somebody is still connected to the process. */
  get isServed(): boolean {
    return !this.#closed
  }

  // StreamHandler

  data(bytes: Uint8Array): void {
    this.#stdin.write(bytes)
  }

  drain(): void {
    this.#paused = false
    for (const { socket } of this.#outputs) socket.resume()
    if (this.#exit) this.#whenQuiet()
  }

  eof(): void {
    this.#stdin.end()
  }

  control(message: LinkMessage): void {
    const parsed = SessionControl.safeParse(message)
    if (!parsed.success || this.#exit) return
    const control = parsed.data
    const terminal = this.#terminal
    switch (control.type) {
      case 'window-change':
        if (terminal !== undefined) setTerminalSize(terminal, control)
        return
      case 'signal':
        return this.#signal(signalNumber(control.name))
      case 'break':
        if (terminal !== undefined) signalForeground(terminal, SIGINT)
        return
      case 'eow':
        return this.#endOfWrite()
    }
  }

  closed(cause: LinkCause): void {
    if (this.#closed) return
    this.#leave()
    this.#cancelTimer()
    const isHeld = this.#outputs.size > 0
    // The kernel hangs up what has the terminal; without one, the process finds its pipes closed.
    this.#destroyStreams()
    if (this.#exit) {
      // What its leader left behind in the background is part of the session as long as it holds the output.
      if (isHeld && this.#endsProcesses(cause)) this.#endProcesses()
      return this.#release()
    }
    if (this.#endsProcesses(cause)) this.#endProcesses()
  }

  /** Ends the session from this side; also when its client has gone before. */
  end(cause: LinkCause): void {
    if (this.#closed) {
      if (!this.#exit && this.#endsProcesses(cause)) this.#endProcesses()
      return
    }
    this.#stream.close(cause, 'drop')
    this.closed(cause)
  }

  /** As with sshd, what people run outlives their connection; an administrator or a policy means the processes too. */
  #endsProcesses({ by }: LinkCause): boolean {
    return this.#parts.killOrphans || by === 'admin' || by === 'policy'
  }

  #endProcesses(): void {
    this.#cancelTimer()
    this.#signal(SIGHUP)
    // A stopped process does not notice.
    this.#signal(SIGCONT)
    this.#cancelTimer = this.#clock.after(GRACE_MS, () => this.#signal(SIGKILL))
  }

  #started(pid: number): void {
    this.#pid = pid
    this.#parts.started(pid)
    const { greeting } = this.#parts
    this.#stream.control({ type: 'started', ...(greeting?.quiet ? { quiet: true } : {}) } satisfies SessionEvent)
    if (greeting && greeting.text.length > 0) this.#stream.write(greeting.text)
    // What it has written since comes after the news that it runs.
    this.#paused = false
    for (const pass of this.#earlyOutput.splice(0)) pass()
    if (!this.#paused) for (const { socket } of this.#outputs) socket.resume()
    for (const signal of this.#early.splice(0)) this.#signal(signal)
  }

  #failed({ message }: Error): void {
    if (!this.#closed) {
      this.#stream.close({ by: 'agent', reason: 'refused', message })
      this.#leave()
    }
    this.#release()
  }

  #reader(lane: Lane): BytesReader {
    return (bytes, done) => {
      if (this.#pid === undefined) {
        this.#earlyOutput.push(() => this.#reader(lane)(bytes, done))
        return this.#pause()
      }
      const { length } = bytes
      if (!this.#stream.write(bytes, lane, done)) this.#pause()
      if (!this.#exit) return
      this.#restBytes -= length
      this.#whenQuiet()
    }
  }

  #watch(output: Output): Output {
    this.#outputs.add(output)
    // A terminal whose last user is gone answers EIO.
    output.socket.on('error', () => {})
    output.socket.on('close', () => this.#over(output))
    return output
  }

  #over(output: Output): void {
    this.#outputs.delete(output)
    if (this.#exit) this.#whenQuiet()
  }

  #pause(): void {
    this.#paused = true
    for (const { socket } of this.#outputs) socket.pause()
  }

  #signal(signal: number | undefined): void {
    if (signal === undefined) return
    if (this.#pid === undefined) this.#early.push(signal)
    else this.#signals.send(this.#pid, signal)
  }

  #endOfWrite(): void {
    // Closing a terminal would take its input away as well: its output just stays unread.
    if (this.#terminal === undefined) this.#stdout.socket.destroy()
    else {
      this.#stdout.socket.pause()
      this.#over(this.#stdout)
    }
  }

  #exited(exit: Exit): void {
    this.#exit = exit
    if (this.#closed) this.#release()
    else this.#whenQuiet()
  }

  /** Finishes when all output of the exited process has been passed on; else arranges to be called again. */
  #whenQuiet(): void {
    if (this.#closed) return
    if (this.#outputs.size === 0) return this.#finish()
    // `drain` comes back here. So does the end of a pipe: as long as somebody has it open, more may come, however late.
    if (this.#paused || this.#terminal === undefined) return
    // Others may keep a terminal open for ever; what its leader wrote is all that belongs to this session.
    if (this.#restBytes <= 0 || !readable(this.#stdout.fd)) this.#finish()
  }

  #finish(): void {
    this.#stdout.flush()
    // What was flushed may have been all that was waited for.
    if (this.#closed || !this.#exit) return
    this.#leave()
    this.#stream.control(exitEvent(this.#exit))
    this.#stream.close()
    this.#release()
  }

  #destroyStreams(): void {
    this.#stdin.close()
    for (const { socket } of this.#outputs) socket.destroy()
  }

  #leave(): void {
    this.#closed = true
    this.#parts.left()
  }

  #release(): void {
    this.#destroyStreams()
    this.#ended()
  }
}

/** RFC 4254 section 6.10. */
function exitEvent(exit: Exit): SessionEvent {
  if ('status' in exit) return { type: 'exit', status: exit.status }
  return { type: 'exit-signal', signal: exitSignalName(exit.signal), coreDumped: exit.coreDumped, message: '' }
}
