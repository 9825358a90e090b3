// One process in a container that works on files as the person's account, and answers calls in turn (script.ts).
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { EngineError } from '@bowline/engine/errors'
import { endInput } from '@bowline/engine/hijack'
import { Demultiplexer } from '@bowline/engine/multiplexed'
import { type SignalParts, sendSignal } from '../signals.ts'
import { StartLine } from '../start-line.ts'
import { FILES_SCRIPT } from './script.ts'

export interface Answer {
  /** Exit status; 0 is success. */
  readonly status: number
  /** Output, or the words of a failure. */
  readonly output: Buffer
}

export interface HelperParts extends SignalParts {
  readonly account: { readonly name: string }
  /** `NAME=value` */
  readonly env: readonly string[]
}

interface Call {
  readonly maxBytes: number
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Most output of a call without a limit of its own, in bytes. */
const OUTPUT_BYTES = 65_536
/** Beside the output: the mark, its status and line ends. */
const LINE_BYTES = 64
/** A process whose input has ended is waited for this long, in milliseconds. */
const END_MS = 5_000

export class Helper {
  readonly #parts: HelperParts
  readonly #socket: Duplex
  readonly #mark = randomBytes(16).toString('hex')
  readonly #end: Buffer
  readonly #line = new StartLine()
  readonly #calls: Call[] = []
  #pid: number | undefined
  #output = Buffer.alloc(OUTPUT_BYTES)
  #length = 0
  /** Bytes of the output in which the mark does not begin. */
  #searched = 0
  #failure: EngineError | undefined

  /** @throws {EngineError} when the engine starts no process */
  static async start(parts: HelperParts): Promise<Helper> {
    const { engine, container, account, env } = parts
    const command = ['/bin/sh', '-c', FILES_SCRIPT, 'bowline']
    const exec = await engine.createExec(container, { command, env, user: account.name, tty: false })
    return new Helper(parts, await engine.startExec(exec, false))
  }

  private constructor(parts: HelperParts, socket: Duplex) {
    this.#parts = parts
    this.#socket = socket
    this.#end = Buffer.from(`\n${this.#mark} `)
    const outputs = new Demultiplexer((bytes, lane) => {
      if (lane === 0) this.#push(bytes)
    })
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      try {
        outputs.push(bytes)
      } catch (error) {
        this.#fail(error)
      }
    })
    socket.once('end', () => socket.end())
    socket.once('close', () => this.#fail(new EngineError('the process that serves files has ended')))
    socket.write(`${this.#mark}\n`)
    socket.resume()
  }

  /**
   * Calls a function of the script; calls are answered in the order in which they are made.
   * @param line without an end
   * @param data that the function takes
   * @param maxBytes of output
   * @throws {EngineError} when the process has ended or answers with more
   */
  call(line: string, { data, maxBytes = OUTPUT_BYTES }: { data?: Buffer; maxBytes?: number } = {}): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#calls.push({ maxBytes, resolve, reject })
      this.#socket.write(`${line}\n`)
      if (data) this.#socket.write(data)
    })
  }

  /** Ends the process. */
  close(): void {
    if (this.#failure) return
    this.#failure = new EngineError('the session has ended')
    endInput(this.#socket)
    const cancel = this.#parts.clock.after(END_MS, () => this.#kill())
    this.#socket.once('close', cancel)
  }

  #push(bytes: Buffer): void {
    if (this.#failure) return
    if (this.#pid !== undefined) return this.#add(bytes)
    const said = this.#line.push(bytes)
    if (!said) return
    if ('refused' in said) return this.#fail(new EngineError(said.refused))
    this.#pid = said.pid
    this.#add(said.rest)
  }

  #add(bytes: Buffer): void {
    const length = this.#length + bytes.length
    if (length > this.#output.length) {
      const larger = Buffer.alloc(Math.max(length, this.#output.length * 2))
      this.#output.copy(larger, 0, 0, this.#length)
      this.#output = larger
    }
    bytes.copy(this.#output, this.#length)
    this.#length = length
    while (this.#length > 0 && this.#answer());
    const most = this.#calls[0]?.maxBytes ?? 0
    if (this.#length > most + LINE_BYTES) this.#fail(new EngineError('the process that serves files says too much'))
  }

  /** @returns true if there was a whole answer */
  #answer(): boolean {
    const seen = this.#output.subarray(0, this.#length)
    const at = seen.indexOf(this.#end, this.#searched)
    const end = at === -1 ? -1 : seen.indexOf(0x0a, at + this.#end.length)
    if (end === -1) {
      this.#searched = Math.max(0, this.#length - LINE_BYTES)
      return false
    }
    const status = Number(seen.toString('latin1', at + this.#end.length, end))
    const output = Buffer.from(seen.subarray(0, at))
    this.#output.copyWithin(0, end + 1, this.#length)
    this.#length -= end + 1
    this.#searched = 0
    this.#calls.shift()?.resolve({ status: Number.isInteger(status) ? status : 1, output })
    return true
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof EngineError ? error : new EngineError('the process that serves files failed')
    for (const { reject } of this.#calls.splice(0)) reject(this.#failure)
    if (!this.#socket.destroyed) this.#kill()
  }

  #kill(): void {
    const { account } = this.#parts
    // Without the engine there is nobody to tell.
    if (this.#pid !== undefined) sendSignal(this.#parts, account.name, 'KILL', this.#pid).catch(() => undefined)
    this.#socket.destroy()
  }
}
