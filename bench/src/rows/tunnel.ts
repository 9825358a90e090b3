// One stream through a TCP tunnel, with TLS between client and service, compared with `ssh -L` to the same service:
// through the product, and straight to sshd.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type Socket, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { operations } from '@bowline/contract/operations'
import { type Candidate, interleave } from '../measure/interleave.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { type Scene, inScene } from '../site/scene.ts'
import { freePort, listen, send } from '../site/sockets.ts'
import type { Direction } from './bulk.ts'

const PEERS = ['bowline', 'sshd'] as const
const NAMES = { bowline: 'ssh -L through the same server', sshd: 'ssh -L straight to sshd' }
const CIPHER = 'aes128-gcm@openssh.com'
const SETTINGS = { BOWLINE_TUNNELS_DOMAIN: 'tunnels.example', BOWLINE_TUNNELS_TLS_PORT: '0' }

export function measureTunnel(options: BenchOptions): Promise<Row[]> {
  return inScene(options, 'tunnel', async (scene) => {
    await using parts = new AsyncDisposableStack()
    const bytes = options.megabytes * 1e6
    const { site, ssh } = scene
    const [cert, key] = await Promise.all(
      ['tls.crt', 'tls.key'].map((name) => readFile(join(site.dataFolder, name), 'utf8')),
    )
    const serve = (socket: Socket): void => answer(socket, bytes)
    const tls = createTlsServer({ cert: cert ?? '', key: key ?? '' }, serve)
    const [plainPort, tlsPort] = [await listen(parts, createServer(serve)), await listen(parts, tls)]
    const tunnel = await openTunnel(scene, tlsPort)
    const dialTunnel = (): Socket =>
      connectTls({ host: '127.0.0.1', port: tunnel.port, servername: tunnel.name, rejectUnauthorized: false })
    const dials: Record<string, () => Socket> = { tunnel: dialTunnel }
    for (const way of PEERS) {
      const port = await freePort()
      parts.use(await ssh.connect(way, ['-c', CIPHER, '-L', `127.0.0.1:${port}:127.0.0.1:${plainPort}`]))
      dials[way] = () => connect({ host: '127.0.0.1', port })
    }
    return [...(await measureOne(dials, options, bytes, 'down')), ...(await measureOne(dials, options, bytes, 'up'))]
  })
}

async function measureOne(
  dials: Readonly<Record<string, () => Socket>>,
  options: BenchOptions,
  bytes: number,
  direction: Direction,
): Promise<Row[]> {
  const candidates = Object.entries(dials).map(([name, dial]): Candidate => ({
    name,
    measure: async () => bytes / 1e3 / (await transfer(dial(), bytes, direction)),
  }))
  const rates = await interleave(candidates, options.repeats, (name, rate) =>
    options.say(`tunnel ${direction} ${name}: ${rate.toFixed(0)} MB/s`),
  )
  const ours = rates.get('tunnel') ?? []
  return PEERS.map((peer) => {
    const theirs = rates.get(peer) ?? []
    return {
      id: `tunnel.${direction}.${peer}`,
      work: `one stream through a TCP tunnel, ${direction}`,
      peer: NAMES[peer],
      unit: 'ratio',
      measured: spreadOf(pairedRatios(ours, theirs)),
      note: `${spreadOf(ours).median.toFixed(0)} to ${spreadOf(theirs).median.toFixed(0)} MB/s`,
      samples: { 'tunnel MB/s': ours, [`${peer} MB/s`]: theirs },
    }
  })
}

/** The service: its first byte says which way; `d` is answered with the bytes, `u` with one byte after all of them. */
function answer(socket: Socket, bytes: number): void {
  let left = bytes
  socket.on('error', () => socket.destroy())
  socket.once('data', (first: Buffer) => {
    if (first[0] === 'd'.charCodeAt(0)) return void send(socket, bytes)
    left -= first.length - 1
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left <= 0) socket.end('!')
    })
  })
}

/** @returns milliseconds from the request to the last byte */
async function transfer(socket: Socket, bytes: number, direction: Direction): Promise<number> {
  await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect')
  const startedAt = performance.now()
  let left = direction === 'down' ? bytes : 1
  const done = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left <= 0) resolve()
    })
    socket.on('error', reject).on('close', () => reject(new Error('the connection has ended early')))
  })
  socket.write(direction === 'down' ? 'd' : 'u')
  if (direction === 'up') await Promise.race([send(socket, bytes), done])
  await done
  const milliseconds = performance.now() - startedAt
  socket.destroy()
  return milliseconds
}

/** Restarts the server with a port for TCP tunnels and opens one to the device. */
async function openTunnel({ site }: Scene, port: number): Promise<{ name: string; port: number }> {
  await site.stop()
  await site.start(SETTINGS)
  const device = async () => (await site.client.call(operations.devices.list, {})).body[0]
  let found = await device()
  while (!found?.online) {
    await pause(100)
    found = await device()
  }
  const body = { host: '127.0.0.1', port, ttl: -1, protocol: 'tcp' as const }
  const made = await site.client.call(operations.tunnels.create, { params: { uid: found.uid }, body })
  return { name: made.body.full_address, port: Number(made.body.url.split(':').at(-1)) }
}
