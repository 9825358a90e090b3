// Allocates ports for programs that cannot pick one themselves: a port that was just free is free enough on loopback.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below Linux's ephemeral range, from which an outgoing connection could take the port in the meantime. Each worker of
// vitest has a range of its own, as another one could listen on the port before its program does; each process starts
// at a different port, as programs of an earlier one may be about to listen.
const WORKERS = 4
const PORTS = 5_000
const FIRST = 12_000 + PORTS * (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS)
const LAST = FIRST + PORTS - 1
let next = randomInt(FIRST, LAST)

/** A port that nobody listens on, and that this process does not hand out again for a long time. */
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
