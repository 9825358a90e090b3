// One process in a container: a `session` stream of its link on one side, a raw stream of its engine on the other.
import type { Duplex } from 'node:stream'
import { BackgroundLoop } from '@bowline/base/background-loop'
import { Semaphore } from '@bowline/base/semaphore'
import { EngineError } from '@bowline/engine/errors'
import { endInput } from '@bowline/engine/hijack'
import { Demultiplexer } from '@bowline/engine/multiplexed'
import type { Lane, LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { SessionControl, type SessionEvent, type SessionOpen } from '@bowline/link/stream-messages'
import type { ContainerAccount } from './account.ts'
import { ContainerFiles } from './files/session.ts'
import { LateInput } from './late-input.ts'
import { type SignalParts, sendSignal } from './signals.ts'
import { NO_SFTP_SERVER, NO_SHELL, StartLine, commandOf, environmentOf } from './start-line.ts'

export interface ProcessParts extends SignalParts {
  readonly account: ContainerAccount
  readonly open: SessionOpen
  readonly stream: LinkStream
  /** Called when nothing is left to {@link ContainerProcess.end}. */
  readonly ended: () => void
}

const SIGNALS = /^(ABRT|ALRM|FPE|HUP|ILL|INT|KILL|PIPE|QUIT|SEGV|TERM|USR1|USR2)$/
/** Signals under way; each is a process of its own. */
const MAX_SIGNALS = { atOnce: 1, waiting: 16 }
/** The engine may learn of an exit a little later than its output ends, in milliseconds. */
const EXIT_POLL_MS = { first: 50, most: 2_000 }
/** podman can lose the second of two sizes that come together: the last one is told once more, in milliseconds. */
const RESIZE_AGAIN_MS = 300
/** Largest width or height of a terminal. */
const MAX_CHARACTERS = 10_000
/** Inputs and signals that wait for the process to run. */
const MAX_EARLY = 4_096
const endsProcesses = ({ by }: LinkCause): boolean => by === 'admin' || by === 'policy'
const END_OF_TRANSMISSION = Buffer.of(4)

/** Starts at once. Its failures end the stream with a cause. */
export class ContainerProcess implements StreamHandler {
  readonly #parts: ProcessParts
  readonly #signals = new Semaphore(MAX_SIGNALS.atOnce, MAX_SIGNALS.waiting)
  readonly #line = new StartLine()
  readonly #lateInput = new LateInput()
  /** However often the size changes, one request at a time tells the engine the latest. */
  readonly #resizing = new BackgroundLoop(() => this.#resize().catch(() => undefined))
  readonly #tty: boolean
  #exec = ''
  #size: Size | undefined
  /** True if `#size` was told before. */
  #again = false
  #socket: Duplex | undefined
  /** Inside of the container; undefined until the process has said it. */
  #pid: number | undefined
  /** Input from before the process ran; its credit bounds it. */
  readonly #early: (() => void)[] = []
  /** Takes the place of a process that there is none for. */
  #successor: ContainerFiles | undefined
  #closed = false
  #exited = false
  #cancelTimer = (): void => undefined
  #cancelResize = (): void => undefined

  constructor(parts: ProcessParts) {
    this.#parts = parts
    this.#tty = parts.open.pty !== undefined
    this.#size = parts.open.pty
    this.#start().catch((error: unknown) => this.#fail(error))
  }

  // StreamHandler

  data(bytes: Uint8Array): void {
    if (this.#successor) return this.#successor.data(bytes)
    this.#withInput(
      (socket) => {
        const taken = (): void => this.#parts.stream.consumed(bytes.length)
        if (socket.writable) socket.write(bytes, taken)
        else taken()
      },
      () => this.data(bytes),
    )
  }

  drain(): void {
    if (this.#successor) return this.#successor.drain()
    this.#socket?.resume()
  }

  eof(): void {
    if (this.#successor) return this.#successor.eof()
    this.#withInput(
      (socket) => {
        if (this.#tty) socket.write(END_OF_TRANSMISSION)
        else endInput(socket)
      },
      () => this.eof(),
    )
  }

  control(message: LinkMessage): void {
    if (this.#successor) return
    const control = SessionControl.safeParse(message).data
    switch (control?.type) {
      case 'window-change':
        this.#size = control
        this.#again = false
        if (this.#pid !== undefined) this.#resizing.wake()
        return
      case 'signal':
        return this.#withInput(
          () => this.#signal(control.name),
          () => this.control(message),
        )
      case 'break':
        return this.#withInput(
          () => this.#signal('INT'),
          () => this.control(message),
        )
      case 'eow':
        return this.#withInput(
          () => this.#signal('PIPE'),
          () => this.control(message),
        )
      default:
    }
  }

  /**
   * The person or the link has gone: as with sshd, a process loses its terminal, and without one goes on, until it
   * reads or writes. Administrators and policies end it.
   */
  closed(cause: LinkCause): void {
    if (this.#closed) return
    this.#closed = true
    this.#successor?.closed()
    this.#cancelTimer()
    this.#cancelResize()
    this.#early.length = 0
    if (this.#exited || this.#successor) this.#parts.ended()
    else if (this.#tty || endsProcesses(cause)) this.#hangUp()
    this.#socket?.destroy()
  }

  /** The login has ended, which may be later than the stream. */
  end(cause: LinkCause): void {
    if (!this.#closed) this.#parts.stream.close(cause, 'drop')
    else if (endsProcesses(cause)) this.#hangUp()
  }

  #hangUp(): void {
    this.#parts.ended()
    this.#signal('HUP')
  }

  async #start(): Promise<void> {
    const { engine, container, account, open } = this.#parts
    const command = commandOf(open.run, account, sizeOf(open.pty))
    if ('refused' in command) return this.#refuse(command.refused)
    const env = environmentOf(open, account)
    this.#exec = await engine.createExec(container, { command, env, user: account.name, tty: this.#tty })
    if (this.#closed) return
    const socket = await engine.startExec(this.#exec, this.#tty)
    this.#socket = socket
    socket.on('error', () => undefined)
    if (this.#closed) return void socket.destroy()
    const parts = new Demultiplexer((bytes, lane) => this.#output(bytes, lane))
    socket.on('data', (bytes: Buffer) => {
      try {
        if (this.#tty) this.#output(bytes, 0)
        else parts.push(bytes)
      } catch (error) {
        this.#fail(error)
      }
    })
    socket.once('close', () => this.#ended())
    socket.once('end', () => socket.end())
    await this.#resize().catch(() => undefined)
    socket.resume()
  }

  #output(bytes: Buffer, lane: Lane): void {
    if (this.#closed) return
    if (this.#pid !== undefined) return this.#pass(bytes, lane)
    // The engine's own error about a program that it cannot run.
    if (lane === 1) return
    const said = this.#line.push(bytes)
    if (!said) return
    if ('refused' in said) return said.refused === NO_SFTP_SERVER ? this.#serveFiles() : this.#refuse(said.refused)
    this.#pid = said.pid
    this.#resizing.wake()
    this.#parts.stream.control({ type: 'started' } satisfies SessionEvent)
    for (const act of this.#early.splice(0)) act()
    if (said.rest.length > 0) this.#pass(said.rest, lane)
  }

  #pass(bytes: Buffer, lane: Lane): void {
    this.#lateInput.push(bytes, lane, (written, of) => {
      if (!this.#parts.stream.write(written, of)) this.#socket?.pause()
    })
  }

  /** The container has no program that serves files: the server does it. */
  #serveFiles(): void {
    this.#socket?.destroy()
    this.#successor = new ContainerFiles(this.#parts)
    for (const act of this.#early.splice(0)) act()
  }

  /**
   * Runs once the process does.
   * @param again the call that this is part of, for whatever takes the place of the process
   */
  #withInput(act: (socket: Duplex) => void, again: () => void): void {
    if (this.#closed) return
    if (this.#pid !== undefined && this.#socket) return act(this.#socket)
    if (this.#early.push(again) > MAX_EARLY) this.#refuse('Too much was sent before the process ran.')
  }

  async #resize(): Promise<void> {
    const [size, isAgain] = [this.#size, this.#again]
    this.#size = undefined
    this.#again = false
    const bounded = sizeOf(size)
    if (!this.#tty || this.#closed || !size || !bounded) return
    this.#cancelResize()
    await this.#parts.engine.resizeExec(this.#exec, bounded)
    if (this.#pid === undefined || isAgain) return
    this.#cancelResize = this.#parts.clock.after(RESIZE_AGAIN_MS, () => {
      this.#again = this.#size === undefined
      this.#size ??= size
      this.#resizing.wake()
    })
  }

  #signal(name: string): void {
    const parts = this.#parts
    const pid = this.#pid
    if (pid === undefined || !SIGNALS.test(name)) return
    // Without the engine there is nobody to tell.
    this.#signals.run(() => sendSignal(parts, parts.account.name, name, pid)).catch(() => undefined)
  }

  /** The engine has ended the output. */
  #ended(): void {
    if (this.#closed || this.#successor) return
    if (this.#pid === undefined) return this.#refuse(NO_SHELL)
    this.#askExit(EXIT_POLL_MS.first).catch((error: unknown) => this.#fail(error))
  }

  async #askExit(waitMs: number): Promise<void> {
    const { engine, clock, stream } = this.#parts
    const { isRunning, exitCode } = await engine.inspectExec(this.#exec)
    if (this.#closed) return
    if (isRunning) {
      // It may have closed its output and go on.
      const next = Math.min(waitMs * 2, EXIT_POLL_MS.most)
      this.#cancelTimer = clock.after(waitMs, () => {
        this.#askExit(next).catch((error: unknown) => this.#fail(error))
      })
      return
    }
    this.#exited = true
    if (exitCode === undefined) throw new EngineError('the engine does not know the exit status')
    stream.eof()
    stream.control({ type: 'exit', status: exitCode & 0xff } satisfies SessionEvent)
    stream.close()
  }

  #refuse(message: string): void {
    this.#parts.stream.close({ by: 'agent', reason: 'refused', message })
    this.#socket?.destroy()
  }

  #fail(error: unknown): void {
    if (this.#closed) return
    const why = error instanceof EngineError ? error.message : 'the process could not be run'
    const cause: LinkCause = { by: 'agent', reason: 'engine-failed', message: `The container engine failed: ${why}.` }
    this.#parts.stream.close(cause)
    this.#socket?.destroy()
  }
}

interface Size {
  readonly columns: number
  readonly rows: number
}

/** Undefined where the client does not know it, which it tells as 0. */
function sizeOf(size: Size | undefined): Size | undefined {
  if (!size || size.columns === 0 || size.rows === 0) return undefined
  return { columns: Math.min(size.columns, MAX_CHARACTERS), rows: Math.min(size.rows, MAX_CHARACTERS) }
}
