// Transport 1 of existing agents: a control connection with a JSON object per line. The agent fetches each stream by a
// WebSocket of its own, which outlives the control connection, and expects one HTTP request on it.
import { randomUUID } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import type { LinkCause } from '@bowline/link/api'
import type { Transport } from '@bowline/link/byte-stream'
import { type Head, readHead } from '@bowline/yamux/read-head'
import * as z from 'zod'
import type { PickUps } from './pick-ups.ts'
import { type Liveness, OPEN_MS, SILENT, type Tunnel, limitOpening, watchLife } from './tunnel.ts'

const MAX_LINE_BYTES = 4_096
const MAX_ANSWER_BYTES = 4_096
/** Streams that the agent is to fetch at once. */
const MAX_WAITING = 256
/** A pick-up that arrives at another node of the installation is refused there; the agent is asked again. */
const MAX_ATTEMPTS = 6
const KEEP_ALIVE = { command: 'keep-alive' }

const Line = z.object({ command: z.string(), connPath: z.string().optional(), err: z.string().optional() })

interface Waiting {
  failed(error: Error): void
}

/** The agent could not fetch a stream. */
class NotFetched extends Error {}

export class DialledTunnel implements Tunnel {
  readonly leavesStreams = true
  readonly #transport: Transport
  readonly #clock: Clock
  readonly #pickUps: PickUps
  readonly #life: Liveness
  /** Streams that are to be fetched, by address. */
  readonly #waiting = new Map<string, Waiting>()
  #line = ''
  #isClosed = false

  /** @param closed called once, when the control connection has ended */
  constructor(transport: Transport, clock: Clock, pickUps: PickUps, closed: (cause: LinkCause) => void) {
    this.#transport = transport
    this.#clock = clock
    this.#pickUps = pickUps
    this.#life = watchLife(
      clock,
      () => this.#send(KEEP_ALIVE),
      () => this.close(SILENT),
    )
    transport.listen({
      bytes: (chunk) => this.#receive(chunk),
      drain: () => undefined,
      closed: (cause) => {
        this.#end()
        closed(cause)
      },
    })
  }

  async openSsh(): Promise<Duplex> {
    const stream = await this.#fetch()
    // Nothing answers it: the SSH server of the agent speaks next.
    stream.write(`GET /ssh/${randomUUID()} HTTP/1.1\r\nHost: \r\n\r\n`)
    return stream
  }

  async openTcp(host: string, port: number): Promise<Duplex> {
    const stream = await this.#fetch()
    const cancel = limitOpening(this.#clock, stream)
    try {
      const target = `${isIPv6(host) ? `[${host}]` : host}:${port}`
      stream.write(`CONNECT /http/proxy/${target} HTTP/1.1\r\nHost: \r\n\r\n`)
      const status = await readHead(stream, parseAnswer, MAX_ANSWER_BYTES)
      if (status !== 200) throw new Error('the device could not connect to it')
      return stream
    } catch (error) {
      stream.destroy()
      throw error
    } finally {
      cancel()
    }
  }

  close(cause: LinkCause): void {
    this.#end()
    this.#transport.close(cause)
  }

  async #fetch(): Promise<Duplex> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#fetchOnce()
      } catch (error) {
        if (!(error instanceof NotFetched) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  #fetchOnce(): Promise<Duplex> {
    if (this.#isClosed) return Promise.reject(new Error('the tunnel has ended'))
    if (this.#waiting.size >= MAX_WAITING) return Promise.reject(new Error('too many streams are being opened'))
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(path)
        cancel()
        expected.cancel()
      }
      const failed = (error: Error): void => {
        done()
        reject(error)
      }
      const expected = this.#pickUps.expect((stream) => {
        done()
        resolve(stream)
      })
      const { path } = expected
      const cancel = this.#clock.after(OPEN_MS, () => failed(new Error('the agent did not fetch the stream in time')))
      this.#waiting.set(path, { failed })
      this.#send({ command: 'conn-ready', connPath: path })
    })
  }

  #send(line: object): void {
    // A control connection that is backed up carries nothing but a few lines: the silence of the agent ends it.
    if (!this.#isClosed) this.#transport.send([Buffer.from(`${JSON.stringify(line)}\n`)])
  }

  #receive(chunk: Uint8Array): void {
    this.#line += Buffer.from(chunk).toString('latin1')
    for (let end = this.#line.indexOf('\n'); end >= 0 && !this.#isClosed; end = this.#line.indexOf('\n')) {
      const line = this.#line.slice(0, end)
      this.#line = this.#line.slice(end + 1)
      this.#command(line)
    }
    if (this.#line.length >= MAX_LINE_BYTES) this.#breach('a line of more than 4,096 bytes')
  }

  #command(text: string): void {
    const line = text.length < MAX_LINE_BYTES ? parseJsonLine(text) : undefined
    if (!line) return this.#breach('a line that is no command')
    this.#life.heard()
    if (line.command === 'pickup-failed') {
      this.#waiting.get(line.connPath ?? '')?.failed(new NotFetched('the agent could not fetch the stream'))
    }
  }

  #breach(what: string): void {
    this.close({ by: 'agent', reason: 'protocol', message: `The agent sent ${what}.` })
  }

  #end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#life.stop()
    for (const waiting of this.#waiting.values()) waiting.failed(new Error('the tunnel has ended'))
  }
}

function parseJsonLine(text: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Status of an HTTP answer; what follows its head are raw bytes, whatever its fields say. */
function parseAnswer(bytes: Buffer): Head<number> | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(bytes.toString('latin1')) ?? []
  return { value: Number(status ?? 0), bytes: end + 4 }
}
