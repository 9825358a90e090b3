// One `session` stream and its process: bytes both ways with flow control, control messages, and an end that loses no
// output. Either the process exits first (remaining output, the exit message, then close), or the stream closes first.
// Then the process loses its pipes or its terminal and keeps running, as with sshd: it ends by SIGHUP of its terminal,
// by SIGPIPE, or by itself. Only terminating the session on purpose ends its processes, and a program of the agent, which
// serves the stream alone, does not outlive it for long.
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

/** Grace period between SIGHUP and SIGKILL when a session is terminated, milliseconds. */
const GRACE_MS = 5_000
/** What a program of the agent has read may still be written; milliseconds. */
const OWN_PROGRAM_GRACE_MS = 30_000
/** More than a terminal can buffer when its session leader exits; anything beyond was written later. */
const TERMINAL_REST_BYTES = 256 * 1024
const { SIGINT, SIGHUP, SIGCONT, SIGKILL } = constants.signals

export interface SessionParts {
  readonly stream: LinkStream
  readonly launched: Launched
  readonly clock: Clock
  readonly signals: GroupSignals
  /** Ends the processes also when the client or the network has disconnected. */
  readonly killOrphans: boolean
  /** Whether the process is a program of the agent: one that waits in the kernel, for a FIFO, would wait forever. */
  readonly isOwnProgram: boolean
  /** Called once, when the process is running. */
  readonly started: (pid: number) => void
  /** First output of a shell's terminal; `quiet`: the user wants as little as possible. */
  readonly greeting: { readonly text: Uint8Array; readonly quiet: boolean } | undefined
  /** Called once, when the client has disconnected. */
  readonly left: () => void
  /** Called once, when the process has been reaped, or failed to start, and its output is finished. */
  readonly ended: () => void
}

export class Session implements StreamHandler {
  readonly transient = true
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
  /** Outputs that are still open. */
  readonly #outputs = new Set<Output>()
  /** Output that arrived before `started`; PAM's process reports with a delay. */
  readonly #earlyOutput: (() => void)[] = []
  /** Signals that arrived before the process ran. */
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

  /** Whether a client is still connected to the process. */
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
    // The kernel hangs up the terminal's processes; without one, the process finds its pipes closed.
    this.#destroyStreams()
    if (this.#exit) {
      // Background processes of its leader belong to the session as long as they hold the output.
      if (isHeld && this.#endsProcesses(cause)) this.#endProcesses()
      return this.#release()
    }
    if (this.#endsProcesses(cause)) this.#endProcesses()
    else if (this.#parts.isOwnProgram) {
      this.#cancelTimer = this.#clock.after(OWN_PROGRAM_GRACE_MS, () => this.#signal(SIGKILL))
    }
  }

  /** Ends the session from this side; even when its client has already disconnected. */
  end(cause: LinkCause): void {
    if (this.#closed) {
      if (!this.#exit && this.#endsProcesses(cause)) this.#endProcesses()
      return
    }
    this.#stream.close(cause, 'drop')
    this.closed(cause)
  }

  /** As with sshd, processes outlive their connection; an administrator or a policy ends the processes too. */
  #endsProcesses({ by }: LinkCause): boolean {
    return this.#parts.killOrphans || by === 'admin' || by === 'policy'
  }

  #endProcesses(): void {
    this.#cancelTimer()
    this.#signal(SIGHUP)
    // A stopped process does not handle signals.
    this.#signal(SIGCONT)
    this.#cancelTimer = this.#clock.after(GRACE_MS, () => this.#signal(SIGKILL))
  }

  #started(pid: number): void {
    this.#pid = pid
    this.#parts.started(pid)
    const { greeting } = this.#parts
    this.#stream.control({ type: 'started', ...(greeting?.quiet ? { quiet: true } : {}) } satisfies SessionEvent)
    if (greeting && greeting.text.length > 0) this.#stream.write(greeting.text)
    // Output written since must follow `started`.
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
    // A terminal whose last user is gone returns EIO.
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
    // Closing a terminal would close its input as well: its output is just not read.
    if (this.#terminal === undefined) this.#stdout.socket.destroy()
    else {
      this.#stdout.socket.pause()
      this.#over(this.#stdout)
    }
  }

  #exited(exit: Exit): void {
    this.#exit = exit
    if (this.#parts.isOwnProgram) this.#cancelTimer()
    if (this.#closed) this.#release()
    else this.#whenQuiet()
  }

  /** Finishes when all output of the exited process has been passed on; otherwise arranges to be called again. */
  #whenQuiet(): void {
    if (this.#closed) return
    if (this.#outputs.size === 0) return this.#finish()
    // `drain` calls this again. So does the end of a pipe: while any process has it open, more may come, however late.
    if (this.#paused || this.#terminal === undefined) return
    // Others may keep a terminal open forever; only what its leader wrote belongs to this session.
    if (this.#restBytes <= 0 || !readable(this.#stdout.fd)) this.#finish()
  }

  #finish(): void {
    this.#stdout.flush()
    // The flush may have completed the output.
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
