// HTTP tunnels, with TLS between client and server: one stream against `ssh -L` to the same service, small requests
// against that and against nginx in front of the service, and what an idle WebSocket holds.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { operations } from '@bowline/contract/operations'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { type Load, runLoad } from '../http-tunnel/load.ts'
import { startNginx } from '../http-tunnel/nginx.ts'
import { collectGarbage } from '../inspector.ts'
import { interleave } from '../measure/interleave.ts'
import { cpuSeconds, memoryOf } from '../measure/proc.ts'
import { pairedRatios, spreadOf } from '../measure/statistics.ts'
import type { BenchOptions } from '../options.ts'
import type { Row, Target } from '../row.ts'
import { type Scene, inScene } from '../site/scene.ts'
import { freePort, listen, send } from '../site/sockets.ts'
import { TARGETS } from '../targets.ts'
import type { Direction } from './bulk.ts'

const DOMAIN = 'tunnels.example'
const CIPHER = 'aes128-gcm@openssh.com'
const LOAD = { connections: 32, milliseconds: 4_000 }
/** WebSockets that are there before the first measurement, and all of them. */
const SOCKETS = { first: 100, all: 1_100, perSource: 200 }
const NAMES = { ssh: 'ssh -L through the same server', nginx: 'nginx with TLS before the service' } as const

/** Where curl finds a service. */
interface Stream {
  readonly url: string
  /** Options for a host name that no resolver knows. */
  readonly resolve: readonly string[]
}

interface Way {
  readonly dial: (source?: string) => Socket
  readonly host: string
}

export function measureHttpTunnel(options: BenchOptions): Promise<Row[]> {
  const inspected = { ...options, nodeFlags: (name: string) => [...options.nodeFlags(name), '--inspect=127.0.0.1:0'] }
  return inScene(inspected, 'http-tunnel', async (scene) => {
    await using parts = new AsyncDisposableStack()
    const { site } = scene
    await site.stop()
    await site.start({ BOWLINE_TUNNELS_DOMAIN: DOMAIN })
    const tls = { cert: join(site.dataFolder, 'tls.crt'), key: join(site.dataFolder, 'tls.key') }
    const nginx = parts.use(await startNginx(join(options.folder, 'http-tunnel'), tls))
    const bytes = options.megabytes * 1e6
    const bulkPort = await listen(parts, bulkService(bytes))
    const uid = await onlineDevice(scene)
    const open = async (port: number): Promise<Tunnel> => {
      const body = { host: '127.0.0.1', port, ttl: -1 }
      return (await site.client.call(operations.tunnels.create, { params: { uid }, body })).body
    }
    const [small, bulk] = [await open(nginx.servicePort), await open(bulkPort)]
    const secured = (port: number, host: string): Way => ({
      host,
      dial: (localAddress) =>
        connectTls({
          host: '127.0.0.1',
          port,
          servername: host,
          rejectUnauthorized: false,
          ...(localAddress === undefined ? {} : { localAddress }),
        }),
    })
    const server = Number(new URL(site.origin).port)
    const forwardedPort = async (to: number): Promise<number> => {
      const port = await freePort()
      parts.use(await scene.ssh.connect('bowline', ['-c', CIPHER, '-L', `127.0.0.1:${port}:127.0.0.1:${to}`]))
      return port
    }
    const smallForward = await forwardedPort(nginx.servicePort)
    const bulkForward = await forwardedPort(bulkPort)
    const host = bulk.full_address
    const streams = {
      tunnel: { url: `https://${host}:${server}/`, resolve: ['--resolve', `${host}:${server}:127.0.0.1`] },
      ssh: { url: `http://127.0.0.1:${bulkForward}/`, resolve: [] },
    }
    const file = join(options.folder, 'http-tunnel', 'body')
    await writeFile(file, '')
    await truncate(file, bytes)
    const requests = {
      tunnel: secured(server, small.full_address),
      ssh: { host: 'localhost', dial: () => connect({ host: '127.0.0.1', port: smallForward }) },
      nginx: secured(nginx.proxyPort, 'localhost'),
    }
    return [
      await measureStream(streams, options, file, bytes, 'down'),
      await measureStream(streams, options, file, bytes, 'up'),
      ...(await measureRequests(scene, requests, options)),
      ...(await measureWebSockets(scene, options, open, (host) => secured(server, host))),
    ]
  })
}

async function measureStream(
  ways: Readonly<Record<'tunnel' | 'ssh', Stream>>,
  options: BenchOptions,
  file: string,
  bytes: number,
  direction: Direction,
): Promise<Row> {
  const candidates = (['tunnel', 'ssh'] as const).map((name) => ({
    name,
    measure: async () => bytes / 1e3 / (await transfer(ways[name], file, bytes, direction)),
  }))
  const rates = await interleave(candidates, options.repeats, (name, rate) =>
    options.say(`http-tunnel ${direction} ${name}: ${rate.toFixed(0)} MB/s`),
  )
  const [ours, theirs] = [rates.get('tunnel') ?? [], rates.get('ssh') ?? []]
  return {
    id: `http-tunnel.${direction}.ssh`,
    work: `one body through an HTTP tunnel, ${direction}`,
    peer: NAMES.ssh,
    unit: 'ratio',
    measured: spreadOf(pairedRatios(ours, theirs)),
    target: TARGETS.httpTunnel.stream,
    note: `${spreadOf(ours).median.toFixed(0)} to ${spreadOf(theirs).median.toFixed(0)} MB/s`,
    samples: { 'tunnel MB/s': ours, 'ssh MB/s': theirs },
  }
}

async function measureRequests(
  { site, agent }: Scene,
  ways: Readonly<Record<'tunnel' | 'ssh' | 'nginx', Way>>,
  options: BenchOptions,
): Promise<Row[]> {
  const loads: Record<string, Load[]> = { tunnel: [], ssh: [], nginx: [] }
  const cpuOf = (): Promise<number[]> => Promise.all([site.server, agent].map(({ pid }) => cpuSeconds(pid)))
  /** Milliseconds of processor time per request in the tunnel, by round: of server and agent. */
  const used: number[][] = []
  const candidates = (['tunnel', 'ssh', 'nginx'] as const).map((name) => ({
    name,
    async measure() {
      const before = await cpuOf()
      const load = await runLoad((source) => ways[name].dial(source), ways[name].host, LOAD)
      const after = await cpuOf()
      if (name === 'tunnel') used.push(after.map((seconds, at) => ((seconds - (before[at] ?? 0)) * 1e3) / load.count))
      loads[name]?.push(load)
      return load.perSecond
    },
  }))
  await interleave(candidates, options.repeats, (name, rate) => {
    const p99 = loads[name]?.at(-1)?.p99 ?? 0
    options.say(`http-tunnel requests ${name}: ${rate.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms`)
  })
  // The first round does not count.
  const valuesOf = (name: string, of: keyof Load): number[] => (loads[name] ?? []).slice(1).map((load) => load[of])
  const cpu = (['server', 'agent'] as const).map((process, at): Row => {
    const each = used.slice(1).map((round) => round[at] ?? Number.NaN)
    return {
      id: `http-tunnel.cpu.${process}`,
      work: `CPU of the ${process} per such request`,
      peer: '',
      unit: 'ms',
      measured: spreadOf(each),
      note: 'connections at the beginning included',
      samples: { ms: each },
    }
  })
  const compared = (['ssh', 'nginx'] as const).flatMap((peer) => {
    const row = (of: keyof Load, work: string, unit: string, target?: Target): Row => {
      const [ours, theirs] = [valuesOf('tunnel', of), valuesOf(peer, of)]
      return {
        id: `http-tunnel.${of === 'p99' ? 'p99' : 'requests'}.${peer}`,
        work,
        peer: NAMES[peer],
        unit: 'ratio',
        measured: spreadOf(pairedRatios(ours, theirs)),
        ...(target ? { target } : {}),
        note: `${spreadOf(ours).median.toFixed(1)} to ${spreadOf(theirs).median.toFixed(1)} ${unit}`,
        samples: { [`tunnel ${unit}`]: ours, [`${peer} ${unit}`]: theirs },
      }
    }
    const target = peer === 'nginx' ? TARGETS.httpTunnel.requests : undefined
    return [
      row('perSecond', `small requests a second, ${LOAD.connections} connections`, 'a second', target),
      row('p99', `time of such a request, p99`, 'ms'),
    ]
  })
  return [...compared, ...cpu]
}

async function measureWebSockets(
  { site, agent }: Scene,
  options: BenchOptions,
  open: (port: number) => Promise<Tunnel>,
  wayTo: (host: string) => Way,
): Promise<Row[]> {
  await using parts = new AsyncDisposableStack()
  // More than one tunnel: each may have 512 at a time.
  const ways: Way[] = []
  for (let count = 0; count < 3; count += 1)
    ways.push(wayTo((await open(await listen(parts, upgrades()))).full_address))
  const sockets: Socket[] = []
  parts.defer(() => sockets.forEach((socket) => socket.destroy()))
  const holdUntil = async (count: number): Promise<void> => {
    while (sockets.length < count) {
      const way = ways[sockets.length % ways.length]
      if (!way) throw new Error('there is no tunnel')
      sockets.push(await upgraded(way, `127.0.1.${1 + Math.floor(sockets.length / SOCKETS.perSource)}`))
    }
  }
  const settled = async (): Promise<number[]> => {
    await pause(2_000)
    for (const one of [site.server, agent]) await collectGarbage(one)
    await pause(1_000)
    return Promise.all([site.server, agent].map(async ({ pid }) => (await memoryOf(pid)).anonymous))
  }
  await holdUntil(SOCKETS.first)
  const before = await settled()
  await holdUntil(SOCKETS.all)
  const after = await settled()
  return ['server', 'agent'].map((process, at) => {
    const each = ((after[at] ?? 0) - (before[at] ?? 0)) / (SOCKETS.all - SOCKETS.first) / 1e3
    options.say(`http-tunnel websockets ${process}: ${each.toFixed(1)} KB`)
    return {
      id: `http-tunnel.websocket.${process}`,
      work: `memory of the ${process} per idle WebSocket, of ${SOCKETS.all - SOCKETS.first}`,
      peer: '',
      unit: 'KB',
      measured: spreadOf([each]),
      note: 'growth of anonymous memory after garbage collection; TLS in the server',
      samples: { KB: [each] },
    }
  })
}

/** `GET` is answered with that many bytes, `PUT` once that many have come. */
function bulkService(bytes: number) {
  return createServer({ requestTimeout: 0 }, (incoming, answer) => {
    answer.on('error', () => undefined)
    if (incoming.method === 'GET') {
      answer.writeHead(200, { 'content-length': bytes })
      return void send(answer, bytes).then(() => answer.end())
    }
    incoming.resume().on('end', () => answer.end('!'))
  })
}

/** @returns milliseconds from the request to the last byte of the answer */
async function transfer({ url, resolve }: Stream, file: string, bytes: number, direction: Direction): Promise<number> {
  const name = direction === 'down' ? ['-o', '/dev/null'] : ['-T', file]
  const report =
    '%{stderr}%{http_code} %{size_download} %{size_upload} %{time_appconnect} %{time_connect} %{time_total}'
  const args = ['-sS', '--insecure', '--http1.1', '-H', 'Expect:', ...resolve, ...name, '-w', report, url]
  const { stderr } = await promisify(execFile)('curl', args)
  const [status, down, up, secured = 0, connected = 0, total = 0] = stderr.trim().split(' ').map(Number)
  const moved = direction === 'down' ? down : up
  if (status !== 200 || moved !== bytes) throw new Error(`curl moved ${moved} of ${bytes} bytes: ${stderr}`)
  return (total - Math.max(secured, connected)) * 1e3
}

/** A service that takes every upgrade and says nothing more. */
function upgrades() {
  return createServer().on('upgrade', (_, socket) => {
    socket.on('error', () => undefined)
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
}

async function upgraded({ dial, host }: Way, source: string): Promise<Socket> {
  const socket = dial(source)
  await once(socket, 'secureConnect')
  const head = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
  socket.write(`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 '))
    throw new Error(`an upgrade was refused: ${String(answer)}`)
  return socket.on('error', () => undefined)
}

/** Uid of the scene's only device, once it is back. */
async function onlineDevice({ site }: Scene) {
  for (;;) {
    const [found] = (await site.client.call(operations.devices.list, {})).body
    if (found?.online) return found.uid
    await pause(100)
  }
}
