// A TCP proxy on loopback that misbehaves on command: delay, jitter, limited bandwidth, tiny segments, silence, resets
// and half-closed connections. As with TCP, bytes stay in order and are never lost.
import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

export interface NetworkConditions {
  /** Latency of every byte, milliseconds. */
  readonly delayMs: number
  /** Random additional latency up to this, milliseconds. */
  readonly jitterMs: number
  /** Bandwidth per direction and connection, bytes per second; 0: unlimited. */
  readonly bytesPerSecond: number
  /** Largest segment passed on, bytes; 0: unlimited. */
  readonly segmentBytes: number
  /** Nothing passes either way, without an error: bytes sent are held. */
  readonly silent: boolean
}

export interface ChaosProxy {
  readonly host: string
  readonly port: number
  readonly connectionCount: number
  /** Sets the network conditions of all connections; omitted ones are reset to normal. */
  setConditions(conditions: Partial<NetworkConditions>): void
  /** Ends every connection with a reset in both directions. */
  reset(): void
  /** Sends FIN to the server on every connection; the other direction stays open. */
  halfClose(): void
  /**
   * Sends new connections to another target, like an address that moves to another machine.
   * @param others what becomes of the connections that there are: `cut` ends them with a reset; `silent` passes nothing
   *   on any more, not even their end, as when the machine behind them has lost its power
   */
  moveTo(target: { readonly host: string; readonly port: number }, others: 'cut' | 'silent'): void
  close(): Promise<void>
}

export interface ChaosOptions {
  /** Target of connections: an address, or a socket path. */
  readonly target: { readonly host: string; readonly port: number } | { readonly path: string }
  /** Local address of the proxy's connections to the target. */
  readonly localAddress?: string
  /** Sent to the target first, like a load balancer's PROXY header. */
  readonly preface?: string | Uint8Array
}

interface Pair {
  readonly near: Socket
  readonly far: Socket
  readonly lanes: readonly Lane[]
  /** The target has moved away without a word. */
  isDead: boolean
}

const NORMAL: NetworkConditions = { delayMs: 0, jitterMs: 0, bytesPerSecond: 0, segmentBytes: 0, silent: false }
/** Bytes held per direction before backpressure on the source. */
const MAX_HELD_BYTES = 262_144

/** Listens on a free loopback port. */
export async function startChaosProxy(options: ChaosOptions): Promise<ChaosProxy> {
  let conditions = NORMAL
  const pairs = new Set<Pair>()
  const { localAddress, preface } = options
  let { target } = options
  const reset = (socket: Socket, isFar: boolean): void => {
    // Unix sockets have no reset.
    if (isFar && 'path' in target) socket.destroy()
    else socket.resetAndDestroy()
  }
  function resetAll(): void {
    for (const { near, far } of pairs) {
      reset(near, false)
      reset(far, true)
    }
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const local = localAddress === undefined ? {} : { localAddress }
    const far = connect({ ...target, ...local, allowHalfOpen: true, noDelay: true })
    if (preface !== undefined) far.write(preface)
    const now = (): NetworkConditions => (pair.isDead ? { ...NORMAL, silent: true } : conditions)
    const pair: Pair = { near, far, lanes: [new Lane(near, far, now), new Lane(far, near, now)], isDead: false }
    pairs.add(pair)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => undefined)
      socket.once('close', (hadError) => {
        // Without an error both directions have ended in order, and held bytes must still be delivered.
        if (hadError && !pair.isDead) reset(other, other === far)
        if (!other.closed) return
        pairs.delete(pair)
        for (const lane of pair.lanes) lane.stop()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    get connectionCount() {
      return pairs.size
    },
    setConditions(change) {
      conditions = { ...NORMAL, ...change }
      for (const { lanes } of pairs) for (const lane of lanes) lane.pump()
    },
    reset: resetAll,
    halfClose() {
      for (const { far } of pairs) far.end()
    },
    moveTo(elsewhere, others) {
      target = elsewhere
      if (others === 'cut') return resetAll()
      for (const pair of pairs) {
        pair.isDead = true
        for (const lane of pair.lanes) lane.pump()
      }
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      await closed
    },
  }
}

/** One direction of one connection. */
class Lane {
  readonly #source: Socket
  readonly #sink: Socket
  readonly #conditions: () => NetworkConditions
  readonly #held: { readonly bytes: Buffer; readonly dueAt: number }[] = []
  #heldBytes = 0
  /** When the latest byte is due: later ones never overtake it. */
  #latest = 0
  /** Time at which the bandwidth limit allows the next byte. */
  #freeAt = 0
  #ended = false
  #timer: NodeJS.Timeout | undefined

  constructor(source: Socket, sink: Socket, conditions: () => NetworkConditions) {
    this.#source = source
    this.#sink = sink
    this.#conditions = conditions
    source.on('data', (bytes: Buffer) => this.#take(bytes))
    source.once('end', () => {
      this.#ended = true
      this.pump()
    })
    sink.on('drain', () => this.pump())
  }

  /** Passes on bytes that are due and schedules the rest. */
  pump(): void {
    clearTimeout(this.#timer)
    const { silent, segmentBytes, bytesPerSecond } = this.#conditions()
    while (!this.#sink.writableNeedDrain) {
      const next = silent ? undefined : this.#held[0]
      if (!next) {
        if (this.#ended && !silent) this.#sink.end()
        break
      }
      const waitMs = Math.max(next.dueAt, this.#freeAt) - Date.now()
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.pump(), waitMs)
        break
      }
      this.#held.shift()
      const size = segmentBytes > 0 ? segmentBytes : next.bytes.length
      const now = next.bytes.subarray(0, size)
      const rest = next.bytes.subarray(size)
      if (rest.length > 0) this.#held.unshift({ ...next, bytes: rest })
      if (bytesPerSecond > 0) this.#freeAt = Date.now() + (now.length * 1_000) / bytesPerSecond
      this.#heldBytes -= now.length
      this.#sink.write(now)
    }
    if (silent || this.#heldBytes > MAX_HELD_BYTES) this.#source.pause()
    else this.#source.resume()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#held.length = 0
  }

  #take(bytes: Buffer): void {
    const { delayMs, jitterMs } = this.#conditions()
    this.#latest = Math.max(this.#latest, Date.now() + delayMs + Math.random() * jitterMs)
    this.#held.push({ bytes, dueAt: this.#latest })
    this.#heldBytes += bytes.length
    this.pump()
  }
}
