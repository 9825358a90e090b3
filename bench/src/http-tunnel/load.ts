// Many small requests over connections that stay open, each the next after the answer to the last.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { percentile } from '../measure/statistics.ts'

export interface Load {
  /** Requests that were answered. */
  readonly count: number
  readonly perSecond: number
  /** Milliseconds from a request to the last byte of its answer. */
  readonly p99: number
}

/** Loopback addresses from which the connections come: there are limits for each source. */
const FIRST_SOURCE = 2

/**
 * @param dial opens a connection from a local address
 * @param host for the Host header
 * @throws {Error} when an answer is not 200, or a connection ends
 */
export async function runLoad(
  dial: (source: string) => Socket,
  host: string,
  options: { readonly connections: number; readonly milliseconds: number },
): Promise<Load> {
  const request = Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, async (_, at) => {
      const socket = dial(`127.0.0.${FIRST_SOURCE + at}`)
      await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect')
      return socket
    }),
  )
  // The first answer of each connection is not counted.
  await Promise.all(sockets.map((socket) => exchange(socket, request)))
  const latencies: number[] = []
  const startedAt = performance.now()
  const until = startedAt + options.milliseconds
  await Promise.all(
    sockets.map(async (socket) => {
      for (let at = performance.now(); at < until;) {
        await exchange(socket, request)
        const now = performance.now()
        latencies.push(now - at)
        at = now
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1e3
  for (const socket of sockets) socket.destroy()
  return { count: latencies.length, perSecond: latencies.length / seconds, p99: percentile(latencies, 0.99) }
}

function exchange(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    const done = (error?: Error): void => {
      socket.off('data', take).off('close', lost)
      if (error) reject(error)
      else resolve()
    }
    const lost = (): void => done(new Error('a connection has ended'))
    const take = (bytes: Buffer): void => {
      text += bytes.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!text.startsWith('HTTP/1.1 200 ')) return done(new Error(`the answer is ${text.slice(0, 80)}`))
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
      if (!(length >= 0)) return done(new Error('the answer has no length'))
      if (text.length >= end + 4 + length) done()
    }
    socket.on('data', take).on('close', lost)
    socket.write(request)
  })
}
