// The baseline's two processes and its client: the product's data path without SSH, link and credit.
import { join } from 'node:path'
import { z } from 'zod'
import shippedFlags from '../../../scripts/node-flags.json' with { type: 'json' }
import { type Server, orItsEnd, run, startServer } from '../site/child.ts'

/** Transport between gateway and device. */
export type Hop = 'tcp' | 'tls'

export interface Relays extends AsyncDisposable {
  readonly gateway: Server
  readonly device: Server
  /** Port the gateway listens on. */
  readonly port: number
  /** Transfers bytes of /dev/zero to this end (`down`) or from it. @returns milliseconds until the last has arrived */
  move(direction: 'down' | 'up', bytes: number): Promise<number>
}

const Told = z.union([z.object({ port: z.number() }), z.object({ ended: z.literal(true) })])

/**
 * Starts gateway and device with the Node flags that server and agent ship with.
 * @param files certificate and key files, for `tls`
 * @param onTo port of a server to relay all connections to; without it the device runs commands for `move`
 */
export async function startRelays(hop: Hop, files: readonly string[], onTo?: number): Promise<Relays> {
  await using starting = new AsyncDisposableStack()
  const device = starting.use(
    await start('device', shippedFlags.agent, [hop, ...files, ...(onTo === undefined ? [] : [String(onTo)])]),
  )
  const gateway = starting.use(await start('gateway', shippedFlags.server, [String(device.port), hop]))
  const started = starting.move()
  return {
    gateway: gateway.server,
    device: device.server,
    port: gateway.port,
    async move(direction, bytes) {
      const startedAt = performance.now()
      const ended = new Promise((settle) => device.server.process.once('message', settle))
      await run('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${gateway.port}\n${CLIENT[direction](bytes)}`])
      await orItsEnd(device.server, 'the command', ended)
      return performance.now() - startedAt
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** A client without encryption, of the same programs that transfer the bytes of ssh. */
const CLIENT = {
  down: (bytes: number) => `echo 'head -c ${bytes} /dev/zero' >&3; cat <&3 >/dev/null`,
  up: (bytes: number) => `echo 'cat >/dev/null' >&3; head -c ${bytes} /dev/zero >&3`,
}

async function start(
  program: 'gateway' | 'device',
  flags: readonly string[],
  args: readonly string[],
): Promise<AsyncDisposable & { readonly server: Server; readonly port: number }> {
  const server = await startServer(process.execPath, [...flags, join(import.meta.dirname, `${program}.ts`), ...args], {
    ipc: true,
  })
  const told = new Promise<unknown>((settle) => server.process.once('message', settle))
  const first = Told.parse(await orItsEnd(server, `the floor's ${program}`, told))
  return { server, port: 'port' in first ? first.port : 0, [Symbol.asyncDispose]: () => server.stop() }
}
