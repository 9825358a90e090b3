// One connection made from inside of a container: a `dial` or `http` stream of its link on one side, a program that is run
// in the container on the other.
import type { Duplex } from 'node:stream'
import { EngineError } from '@bowline/engine/errors'
import { endInput } from '@bowline/engine/hijack'
import { Lines } from '@bowline/engine/lines'
import { Demultiplexer, type OutputLane } from '@bowline/engine/multiplexed'
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { type ConnectReport, type ConnectTarget, connectCommand, connectReport } from './connect-programs.ts'
import { type SignalParts, sendSignal } from './signals.ts'

export interface ConnectionParts extends SignalParts {
  /** Account that the program runs as; '' for the one of the image. */
  readonly user: string
  readonly target: ConnectTarget
  readonly stream: LinkStream
  /** Called when the stream has ended. */
  readonly ended: () => void
}

/** For the connection, in milliseconds; as long as an agent waits. */
const CONNECT_MS = 15_000
/** A program that has not begun, or is about to end, is waited for this long, in milliseconds. */
const END_MS = 5_000
/** Longest line that a program says. */
const LINE_BYTES = 4_096

/** Starts at once. Its failures end the stream with a cause. */
export class ContainerConnection implements StreamHandler {
  readonly #parts: ConnectionParts
  readonly #lines = new Lines(LINE_BYTES)
  /** Waits for the program: input, and its end. Credit bounds it. */
  readonly #early: ((socket: Duplex) => void)[] = []
  readonly #cancelTimer: () => void
  #socket: Duplex | undefined
  #pid: number | undefined
  #connected = false
  /** Why there is no connection. */
  #said = ''
  #received = 0
  /** Bytes after which the other side has ended its direction. */
  #endsAt: number | undefined
  #hasEnded = false
  #closed = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#cancelTimer = parts.clock.after(CONNECT_MS, () =>
      this.#fail('connect-failed', 'no connection within 15 seconds'),
    )
    this.#start().catch((error: unknown) => {
      const why = error instanceof EngineError ? error.message : 'the connection could not be made'
      this.#fail('engine-failed', `The container engine failed: ${why}.`)
    })
  }

  // StreamHandler

  data(bytes: Uint8Array): void {
    this.#withSocket((socket) => {
      const taken = (): void => this.#parts.stream.consumed(bytes.length)
      if (socket.writable) socket.write(bytes, taken)
      else taken()
    })
  }

  drain(): void {
    this.#socket?.resume()
  }

  eof(): void {
    this.#withSocket(endInput)
  }

  /** The person, the client of the tunnel, or the link has gone. */
  closed(): void {
    this.#parts.ended()
    if (this.#closed) return
    this.#closed = true
    this.#cancelTimer()
    this.#early.length = 0
    // Where both directions have ended, so does the program: no second one is needed to end it.
    if (this.#hasEnded && this.#socket) {
      endInput(this.#socket)
      this.#destroyLater(this.#socket)
    } else this.#endProgram()
  }

  async #start(): Promise<void> {
    const { engine, container, user, target } = this.#parts
    const command = connectCommand(target)
    if ('refused' in command) return this.#fail('refused', command.refused)
    const exec = await engine.createExec(container, { command, env: [], user, tty: false })
    if (this.#closed) return
    const socket = await engine.startExec(exec, false)
    this.#socket = socket
    socket.on('error', () => undefined)
    const outputs = new Demultiplexer((bytes, lane) => this.#output(bytes, lane))
    socket.on('data', (bytes: Buffer) => {
      try {
        outputs.push(bytes)
      } catch (error) {
        this.#fail(
          'engine-failed',
          error instanceof EngineError ? `The container engine failed: ${error.message}.` : '',
        )
      }
    })
    socket.once('end', () => socket.end())
    socket.once('close', () => this.#ended())
    for (const act of this.#early.splice(0)) act(socket)
    socket.resume()
    if (this.#closed) this.#endProgram()
  }

  #withSocket(act: (socket: Duplex) => void): void {
    if (this.#closed) return
    if (this.#socket) act(this.#socket)
    else this.#early.push(act)
  }

  #output(bytes: Buffer, lane: OutputLane): void {
    if (lane === 1) {
      for (const line of this.#lines.push(bytes)) this.#report(connectReport(line))
      return
    }
    if (this.#closed || this.#hasEnded) return
    this.#connect()
    this.#received += bytes.length
    if (!this.#parts.stream.write(bytes)) this.#socket?.pause()
    this.#endWhenComplete()
  }

  #report(report: ConnectReport): void {
    switch (report.type) {
      case 'start':
        this.#pid = report.pid
        if (this.#closed) this.#endProgram()
        return
      case 'connected':
        return this.#connect()
      case 'eof':
        this.#connect()
        this.#endsAt = report.bytes
        return this.#endWhenComplete()
      case 'reset':
        return this.#fail('reset', 'the connection was reset')
      case 'said':
        this.#said = report.text
    }
  }

  #connect(): void {
    if (this.#connected || this.#closed) return
    this.#connected = true
    this.#cancelTimer()
    this.#parts.stream.control({ type: 'connected' })
  }

  #endWhenComplete(): void {
    if (this.#hasEnded || this.#closed || this.#endsAt === undefined || this.#received < this.#endsAt) return
    this.#hasEnded = true
    this.#parts.stream.eof()
  }

  /** The engine has ended the program's output. */
  #ended(): void {
    this.#cancelTimer()
    if (this.#closed) return
    if (this.#pid === undefined) return this.#fail('connect-failed', NO_SHELL)
    if (!this.#connected) return this.#fail('connect-failed', this.#said === '' ? 'no connection' : this.#said)
    this.#closed = true
    if (!this.#hasEnded) this.#parts.stream.eof()
    this.#parts.stream.close()
  }

  /** Ends the program unless it is ending by itself. */
  #endProgram(): void {
    const socket = this.#socket
    if (!socket || socket.destroyed) return
    if (this.#pid === undefined) {
      this.#destroyLater(socket)
      return void socket.resume()
    }
    const { user } = this.#parts
    // Without the engine there is nobody to tell.
    sendSignal(this.#parts, user, 'TERM', this.#pid).catch(() => undefined)
    socket.destroy()
  }

  #destroyLater(socket: Duplex): void {
    socket.once(
      'close',
      this.#parts.clock.after(END_MS, () => socket.destroy()),
    )
  }

  #fail(reason: string, message: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#cancelTimer()
    this.#early.length = 0
    const cause: LinkCause = { by: 'agent', reason, message }
    this.#parts.stream.close(cause)
    this.#endProgram()
  }
}

const NO_SHELL = 'the container has no working /bin/sh, which connections need'
