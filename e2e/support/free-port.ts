// Ports for programs that cannot choose one themselves: one that was free a moment ago is free enough on loopback.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below what Linux gives outgoing connections, or one of many at once would take it in the meantime. Each process counts up
// from a place of its own, so that callers at the same time get different ports.
const FIRST = 12_000
const LAST = 32_000
let next = randomInt(FIRST, LAST)

/** A port that nobody listens on now, and that no other call of this process gets for a long time. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next
    next = next < LAST ? next + 1 : FIRST
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
