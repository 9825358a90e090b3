// Simulated agents: real registrations and links without sessions, in a separate process, so that their load does not
// count towards the measuring or testing process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Answer, type Order } from './orders.ts'

export interface Fleet extends AsyncDisposable {
  /**
   * Sends an order and waits until it is complete. One at a time.
   * @returns link attempts that failed meanwhile, by reason
   * @throws {Error} when it fails or takes too long
   */
  do(order: Order): Promise<Readonly<Record<string, number>>>
}

const ORDER_TIMEOUT_MS = 180_000
const KEPT_CHARACTERS = 20_000

export async function startFleet(): Promise<Fleet> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fleet-process.ts')], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Ctrl-C is handled by the parent; without a parent the process exits by itself.
    detached: true,
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-KEPT_CHARACTERS)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await once(child, 'spawn')
  return {
    async do(order) {
      const answered = Promise.withResolvers<Answer>()
      const timer = setTimeout(
        () => answered.reject(new Error(`'${order.type}' took over ${ORDER_TIMEOUT_MS / 1_000} s; ${output}`)),
        ORDER_TIMEOUT_MS,
      )
      const gone = ended.then(() => Promise.reject(new Error(`the fleet has ended: ${output}`)))
      child.once('message', (message) => answered.resolve(Answer.parse(message)))
      child.send(order)
      const answer = await Promise.race([answered.promise, gone]).finally(() => clearTimeout(timer))
      if (answer.type === 'failed') throw new Error(`the simulated agents: ${answer.message}`)
      return answer.failures
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
