// Connections that have not shown yet which tunnel they want: how many there may be, of one source and in all.
import { LIMITS } from '@bowline/contract/limits'
import type { Socket } from 'node:net'

export class Newcomers {
  readonly #sockets = new Map<Socket, string>()
  readonly #bySource = new Map<string, number>()

  get count(): number {
    return this.#sockets.size
  }

  /**
   * Counts a connection until it leaves or closes. At the total limit the oldest one is dropped: clients of tunnels say
   * at once what they want, so that silent connections of many sources keep nobody out.
   * @param isExempt the limit of its source does not hold, as for load balancers
   * @returns false at the limit of the source
   */
  add(socket: Socket, source: string, isExempt: boolean): boolean {
    const { perSource, total } = LIMITS.tunnels.unidentified
    const ofSource = this.#bySource.get(source) ?? 0
    if (ofSource >= perSource && !isExempt) return false
    const [oldest] = this.#sockets.keys()
    if (oldest && this.#sockets.size >= total) {
      this.leave(oldest)
      oldest.destroy()
    }
    this.#sockets.set(socket, source)
    this.#bySource.set(source, ofSource + 1)
    socket.once('close', () => this.leave(socket))
    return true
  }

  /** The connection is known by now. */
  leave(socket: Socket): void {
    const source = this.#sockets.get(socket)
    if (source === undefined) return
    this.#sockets.delete(socket)
    const left = (this.#bySource.get(source) ?? 1) - 1
    if (left > 0) this.#bySource.set(source, left)
    else this.#bySource.delete(source)
  }

  closeAll(): void {
    for (const socket of this.#sockets.keys()) socket.destroy()
  }
}
