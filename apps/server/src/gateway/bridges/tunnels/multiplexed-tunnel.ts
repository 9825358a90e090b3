// Transport 2 of existing agents: yamux in a WebSocket. The server opens all streams, each of which begins with
// multistream-select and one JSON object.
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import type { LinkCause } from '@bowline/link/api'
import type { Transport } from '@bowline/link/byte-stream'
import { selectProtocol } from '@bowline/yamux/multistream'
import { parseLine, readHead } from '@bowline/yamux/read-head'
import { YamuxSession } from '@bowline/yamux/session'
import * as z from 'zod'
import { type Liveness, SILENT, type Tunnel, limitOpening, watchLife } from './tunnel.ts'

const SSH = '/ssh/open/1.0.0'
const TCP = '/http/proxy/1.0.0'
const MAX_STREAMS = 2_048
const MAX_ANSWER_BYTES = 512

const TcpAnswer = z.union([z.object({ status: z.literal('ok') }), z.object({ error: z.string() })])

export class MultiplexedTunnel implements Tunnel {
  readonly leavesStreams = false
  readonly #transport: Transport
  readonly #clock: Clock
  readonly #session: YamuxSession
  readonly #life: Liveness
  #pings = 0

  /** @param closed called once, when the tunnel has ended */
  constructor(transport: Transport, clock: Clock, closed: (cause: LinkCause) => void) {
    this.#transport = transport
    this.#clock = clock
    this.#session = new YamuxSession({
      role: 'client',
      maxStreams: MAX_STREAMS,
      send: (parts) => transport.send(parts),
      fault: (message) => this.close({ by: 'agent', reason: 'protocol', message: `The agent sent ${message}.` }),
    })
    this.#life = watchLife(
      clock,
      () => this.#session.ping((this.#pings = (this.#pings + 1) % 0xffff_ffff)),
      () => this.close(SILENT),
    )
    transport.listen({
      bytes: (chunk) => {
        this.#life.heard()
        this.#session.receive(chunk)
      },
      drain: () => this.#session.drained(),
      closed: (cause) => {
        this.#life.stop()
        this.#session.end(cause.message)
        closed(cause)
      },
    })
  }

  async openSsh(): Promise<Duplex> {
    return this.#open(SSH, { id: randomUUID() })
  }

  async openTcp(host: string, port: number): Promise<Duplex> {
    // The agent takes the port as text.
    return this.#open(TCP, { id: randomUUID(), host, port: String(port) }, async (stream) => {
      const line: unknown = JSON.parse(await readHead(stream, parseLine, MAX_ANSWER_BYTES))
      const answer = TcpAnswer.safeParse(line).data
      if (!answer) throw new Error('the agent gave no answer')
      if ('error' in answer) throw new Error(answer.error)
    })
  }

  close(cause: LinkCause): void {
    this.#life.stop()
    this.#session.end(cause.message)
    this.#transport.close(cause)
  }

  /** @param answered reads what the agent says before the bytes begin */
  async #open(
    protocol: string,
    header: object,
    answered: (stream: Duplex) => Promise<void> = () => Promise.resolve(),
  ): Promise<Duplex> {
    const stream = this.#session.open()
    const cancel = limitOpening(this.#clock, stream)
    try {
      await selectProtocol(stream, protocol)
      stream.write(`${JSON.stringify(header)}\n`)
      await answered(stream)
      return stream
    } catch (error) {
      // The agent leaves a stream open whose target it could not reach.
      stream.destroy()
      throw error
    } finally {
      cancel()
    }
  }
}
