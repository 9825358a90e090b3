// Metrics of the process itself: memory, processor time, garbage collection, event loop, file descriptors.
import { readdir } from 'node:fs/promises'
import { Gauge, type Registry, collectDefaultMetrics } from 'prom-client'

/** Each scrape would walk all connections: with 10,000 of them the event loop stands for tens of milliseconds. */
const COSTLY = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'process_open_fds',
]

/** Begins to measure the process. */
export function watchProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of COSTLY) registry.removeSingleMetric(name)
  registry.registerMetric(
    new Gauge({
      name: 'process_open_fds',
      help: 'Number of open file descriptors.',
      registers: [],
      async collect() {
        try {
          // Without the descriptor that reads the folder.
          this.set((await readdir('/proc/self/fd')).length - 1)
        } catch {
          // Only Linux has it.
          this.reset()
        }
      },
    }),
  )
}
