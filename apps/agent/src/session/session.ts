// One `session` stream and its process: bytes both ways with credit, control messages, and an end at which no output is
// lost. Ends in exactly one of two ways: the process exits (exit message, then close), or the stream closes first
// (hang-up for the process group, kill after a grace).
import type { Lane, LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import type { LinkClock } from '@bowline/link/clock'
import { SessionControl, type SessionEvent } from '@bowline/link/streams'
import { readable } from '../native/descriptors.ts'
import { exitOf, type Exit } from '../native/exits.ts'
import { setTerminalSize, signalForeground } from '../native/terminal.ts'
import { readTerminal, readPipe, type BytesReader, type Output } from './output.ts'
import { PipeInput, TerminalInput, type ProcessInput } from './input.ts'
import type { Launched } from './launch.ts'
import { signalName, signalNumber } from './signals.ts'

/** Time to end after SIGHUP before SIGKILL, milliseconds. */
const GRACE_MS = 5_000
/** A process has exited but something it started keeps its output open: how long that may be silent, milliseconds. */
const SILENCE_MS = 10_000
/** More than a terminal can hold at the moment its session leader exits; what comes later was written later. */
const TERMINAL_REST_BYTES = 256 * 1024
const SIGINT = 2

export interface SessionParts {
  readonly stream: LinkStream
  readonly launched: Launched
  readonly clock: LinkClock
  /** Called once, when the process has been reaped and its output is over. */
  readonly ended: () => void
}

export class Session implements StreamHandler {
  readonly borrows = true
  readonly #stream: LinkStream
  readonly #pid: number
  /** Master side, when there is a terminal. */
  readonly #terminal: number | undefined
  readonly #clock: LinkClock
  readonly #ended: () => void
  readonly #stdin: ProcessInput
  readonly #stdout: Output
  /** Outputs that may bring more. */
  readonly #outputs = new Set<Output>()
  #exit: Exit | undefined
  #closed = false
  #paused = false
  #restBytes = TERMINAL_REST_BYTES
  #cancelTimer: () => void = () => {}

  constructor(parts: SessionParts) {
    const { launched } = parts
    this.#stream = parts.stream
    this.#pid = launched.pid
    this.#clock = parts.clock
    this.#ended = parts.ended
    const taken = (count: number): void => this.#stream.consumed(count)
    exitOf(launched.pid, (exit) => this.#exited(exit))
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
    this.#stream.control({ type: 'started' } satisfies SessionEvent)
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

  closed(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#exit) return this.#release()
    this.#destroyStreams()
    this.#signal(signalNumber('HUP'))
    // A stopped process does not notice.
    this.#signal(18)
    this.#cancelTimer = this.#clock.after(GRACE_MS, () => this.#signal(signalNumber('KILL')))
  }

  /** Ends the session from this side. */
  end(cause: LinkCause): void {
    this.#stream.close(cause, 'drop')
    this.closed()
  }

  #reader(lane: Lane): BytesReader {
    return (bytes, done) => {
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
    if (signal === undefined || this.#exit) return
    try {
      process.kill(-this.#pid, signal)
    } catch {
      // The group is gone already; its end is on the way here.
    }
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
    this.#cancelTimer()
    if (this.#closed) this.#release()
    else this.#whenQuiet()
  }

  /** Finishes when all output of the exited process has been passed on; else arranges to be called again. */
  #whenQuiet(): void {
    this.#cancelTimer()
    if (this.#closed) return
    if (this.#outputs.size === 0) return this.#finish()
    // `drain` comes back here.
    if (this.#paused) return
    if (this.#terminal !== undefined) {
      // Others may keep a terminal open for ever; what its leader wrote is all that belongs to this session.
      if (this.#restBytes <= 0 || !readable(this.#stdout.fd)) this.#finish()
      return
    }
    this.#cancelTimer = this.#clock.after(SILENCE_MS, () => this.#finish())
  }

  #finish(): void {
    this.#stdout.flush()
    // What was flushed may have been all that was waited for.
    if (this.#closed || !this.#exit) return
    this.#closed = true
    this.#stream.control(exitEvent(this.#exit))
    this.#stream.close()
    this.#release()
  }

  #destroyStreams(): void {
    this.#stdin.close()
    for (const { socket } of this.#outputs) socket.destroy()
  }

  #release(): void {
    this.#cancelTimer()
    this.#destroyStreams()
    this.#ended()
  }
}

/** RFC 4254 section 6.10; a signal that SSH has no name for becomes a status as shells report it. */
function exitEvent(exit: Exit): SessionEvent {
  if ('status' in exit) return { type: 'exit', status: exit.status }
  const signal = signalName(exit.signal)
  if (!signal) return { type: 'exit', status: 128 + exit.signal }
  return { type: 'exit-signal', signal, coreDumped: exit.coreDumped, message: '' }
}
