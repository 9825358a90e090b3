// The bench's side of the simulated agents, which live in a process of their own so that their work is not ours.
import { join } from 'node:path'
import { startServer } from '../child.ts'
import { Answer, type Order } from './orders.ts'

export interface Fleet extends AsyncDisposable {
  /**
   * Gives an order and waits until it is carried out. One at a time.
   * @returns attempts at links that failed meanwhile, by reason
   * @throws {Error} when it fails or takes too long
   */
  do(order: Order): Promise<Readonly<Record<string, number>>>
}

const PATIENCE_MS = 180_000

export async function startFleet(): Promise<Fleet> {
  const server = await startServer(process.execPath, [join(import.meta.dirname, 'fleet-process.ts')], { ipc: true })
  return {
    async do(order) {
      const answered = Promise.withResolvers<Answer>()
      const timer = setTimeout(
        () => answered.reject(new Error(`'${order.type}' took over ${PATIENCE_MS / 1_000} s; ${server.said()}`)),
        PATIENCE_MS,
      )
      const gone = server.ended.then(() => Promise.reject(new Error(`the fleet has ended: ${server.said()}`)))
      server.process.once('message', (message) => answered.resolve(Answer.parse(message)))
      server.process.send(order)
      const answer = await Promise.race([answered.promise, gone]).finally(() => clearTimeout(timer))
      if (answer.type === 'failed') throw new Error(`the simulated agents: ${answer.message}`)
      return answer.failures
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
