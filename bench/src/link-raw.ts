// Cost of the link itself: CPU seconds per GB in the server's process and MB/s, both ways, over wss and ws, compared
// with bare sockets that carry the same writes. The server is this process, the agent a child of it.
//   node scripts/run.js bench/src/link-raw.ts [--megabytes 512] [--repeats 5] [--write-kib 32] [--only wss/up] [--json]
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type Server, type Socket, connect as connectTcp, createServer as createTcp } from 'node:net'
import { connect as connectTls, createServer as createTls } from 'node:tls'
import { parseArgs } from 'node:util'
import { acceptLink } from '@bowline/link/accept'
import type { Link, LinkHandler, LinkStream, StreamHandler } from '@bowline/link/api'
import { foregroundClock } from '@bowline/base/clock'
import { dialLink } from '@bowline/link/dial'
import { parsePin, parseServerAddress } from '@bowline/link/server-address'
import { selfSignedCertificate } from '@bowline/link/testing/tls'
import shippedFlags from '../../scripts/node-flags.json' with { type: 'json' }

type Carrier = 'link' | 'bare'
type Direction = 'down' | 'up'
/** Down is from the agent to the server, like the output of a session. */
interface Run {
  carrier: Carrier
  secure: boolean
  direction: Direction
  bytes: number
  writeBytes: number
}
interface Measured {
  cpuSecondsPerGb: number
  megabytesPerSecond: number
}
interface AgentOrder {
  run: Run
  port: number
  pin: string
  privateKeyPem: string
}

const UID = 'b'.repeat(64)
const REFUSED = { by: 'agent', reason: 'refused', message: '' } as const
const targets: Record<Direction, { must: number; aim: number }> = {
  down: { must: 0.65, aim: 0.45 },
  up: { must: 0.45, aim: 0.4 },
}

/**
 * Node flags for a process that relays bytes. The buffers live for a moment. V8 frees them cheaply with its young
 * generation, but by default lets them accumulate to twice its size (16 MiB), and they count towards the limit of the
 * old generation, so that full collections come first: two to six times the CPU per byte, growing with the heap. Run
 * this file with other values of the flags to compare.
 */
const MEMORY_FLAGS = shippedFlags.server

if (process.send) process.on('message', (order: AgentOrder) => void agent(order))
else if (process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size'))) await main()
else {
  const again = [...MEMORY_FLAGS, ...process.execArgv, import.meta.filename, ...process.argv.slice(2)]
  process.exitCode = spawnSync(process.execPath, again, { stdio: 'inherit' }).status ?? 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      megabytes: { type: 'string', default: '512' },
      repeats: { type: 'string', default: '5' },
      'write-kib': { type: 'string', default: '32' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
    },
  })
  const bytes = Number(values.megabytes) * 1e6
  const writeBytes = Number(values['write-kib']) * 1024
  const rows = [true, false]
    .flatMap((secure) =>
      (['down', 'up'] as const).flatMap((direction) =>
        (['bare', 'link'] as const).map((carrier) => ({ carrier, secure, direction, bytes, writeBytes })),
      ),
    )
    .filter((row) => `${row.carrier}/${transportOf(row)}/${row.direction}`.includes(values.only))
  const child = fork(import.meta.filename, [], { serialization: 'advanced' })
  const measured = rows.map((): Measured[] => [])
  for (const run of rows) await once(child, { ...run, bytes: bytes / 8 })
  for (let repeat = 0; repeat < Number(values.repeats); repeat += 1) {
    for (const [index, run] of rows.entries()) measured[index]?.push(await once(child, run))
  }
  child.kill()
  const results = rows.map((row, index) => {
    const runs = measured[index] ?? []
    const { carrier, direction } = row
    return {
      carrier,
      transport: transportOf(row),
      direction,
      cpuSecondsPerGb: spread(runs.map((run) => run.cpuSecondsPerGb)),
      megabytesPerSecond: spread(runs.map((run) => run.megabytesPerSecond)),
      ...(carrier === 'link' ? { target: targets[direction] } : {}),
    }
  })
  if (values.json) return console.log(JSON.stringify({ bench: 'link-raw', bytes, writeBytes, results }))
  console.table(
    results.map(({ carrier, transport, direction, cpuSecondsPerGb: cpu, megabytesPerSecond: speed, target }) => ({
      carrier,
      transport,
      direction,
      'CPU s/GB': cpu.median.toFixed(3),
      'least–most': `${cpu.least.toFixed(3)}–${cpu.most.toFixed(3)}`,
      'MB/s': Math.round(speed.median),
      'must / aim': target ? `${target.must} / ${target.aim}` : '',
    })),
  )
}

function transportOf({ carrier, secure }: { carrier: Carrier; secure: boolean }): string {
  if (carrier === 'bare') return secure ? 'tls' : 'tcp'
  return secure ? 'wss' : 'ws'
}

function spread(values: number[]): { median: number; least: number; most: number } {
  const sorted = [...values].sort((a, b) => a - b)
  return {
    median: sorted[sorted.length >> 1] ?? Number.NaN,
    least: sorted[0] ?? Number.NaN,
    most: sorted.at(-1) ?? Number.NaN,
  }
}

/** One run on a new server. */
async function once(child: ChildProcess, run: Run): Promise<Measured> {
  const certificate = selfSignedCertificate()
  const device = generateKeyPairSync('ed25519')
  const publicKeyPem = device.publicKey.export({ type: 'spki', format: 'pem' })
  const done = Promise.withResolvers<Measured>()
  const measure = (): (() => void) => {
    const startedAt = performance.now()
    const cpu = process.cpuUsage()
    return () => {
      const { user, system } = process.cpuUsage(cpu)
      const seconds = (performance.now() - startedAt) / 1_000
      done.resolve({
        cpuSecondsPerGb: (user + system) / 1e6 / (run.bytes / 1e9),
        megabytesPerSecond: run.bytes / 1e6 / seconds,
      })
    }
  }
  let server: Server
  if (run.carrier === 'bare') {
    const serve = (socket: Socket): void =>
      transferOverSocket(socket.setNoDelay(true), run, run.direction === 'up', measure())
    server = run.secure ? createTls(certificate, serve) : createTcp(serve)
  } else {
    server = run.secure ? createHttps(certificate) : createHttp()
    server.on('upgrade', (request, socket, head) => {
      const owner = ownerOf({ open: () => REFUSED, closed: () => undefined })
      void acceptLink(request, socket, head, { uid: UID, publicKeyPem }, owner).then((outcome) => {
        if ('cause' in outcome) throw new Error(outcome.cause.message)
        transferOverLink(outcome.link, run, measure())
      })
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const order: AgentOrder = {
    run,
    port: address.port,
    pin: `sha256//${createHash('sha256').update(certificate.publicKeyDer).digest('base64')}`,
    privateKeyPem: device.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  child.send(order)
  const result = await done.promise
  server.close()
  return result
}

function ownerOf(handler: LinkHandler) {
  return {
    handler,
    clock: foregroundClock,
    report(error: unknown) {
      throw error
    },
  }
}

/** The server's side of a link: sends or counts, and ends the link after the last byte. */
function transferOverLink(link: Link, run: Run, finish: () => void): void {
  const end = (): void => {
    finish()
    link.close({ by: 'gateway', reason: 'done', message: '' })
  }
  const transfer = transferOf(run, run.direction === 'up', () => stream, end)
  const stream: LinkStream = link.open('dial', {}, { ...transfer.stream, control: end })
  transfer.begin()
}

/** Either side of a stream: sends its bytes when `sends`, otherwise consumes until `complete`. */
function transferOf(
  run: Run,
  sends: boolean,
  streamOf: () => LinkStream,
  complete: () => void,
): { stream: StreamHandler; begin(): void } {
  let left = run.bytes
  const pump = (): void => {
    if (!sends) return
    while (left > 0) {
      const count = Math.min(run.writeBytes, left)
      left -= count
      if (!streamOf().write(Buffer.allocUnsafe(count))) return
    }
  }
  return {
    begin: pump,
    stream: {
      data(bytes) {
        left -= bytes.length
        streamOf().consumed(bytes.length)
        if (left === 0) complete()
      },
      drain: pump,
      closed: () => undefined,
    },
  }
}

/** Either side of a bare socket; the receiver ends it. */
function transferOverSocket(socket: Socket, run: Run, sends: boolean, finish: () => void): void {
  let left = run.bytes
  const pump = (): void => {
    if (!sends) return
    while (left > 0) {
      const count = Math.min(run.writeBytes, left)
      left -= count
      if (!socket.write(Buffer.allocUnsafe(count))) return
    }
  }
  socket.on('drain', pump)
  socket.on('close', finish)
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Uint8Array) => {
    left -= bytes.length
    if (left === 0) socket.end()
  })
  pump()
}

async function agent({ run, port, pin, privateKeyPem }: AgentOrder): Promise<void> {
  const sends = run.direction === 'down'
  if (run.carrier === 'bare') {
    const socket = run.secure
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connectTcp({ port, host: '127.0.0.1' })
    return transferOverSocket(socket.setNoDelay(true), run, sends, () => undefined)
  }
  const address = parseServerAddress(`${run.secure ? 'https' : 'http'}://127.0.0.1:${port}`)
  const pins = parsePin(pin)
  if ('fault' in address || 'fault' in pins) throw new Error('the address or the pin is wrong')
  const handler: LinkHandler = {
    open(_kind, _header, stream) {
      const complete = (): void => stream.control({ type: 'complete' })
      const transfer = transferOf(run, sends, () => stream, complete)
      queueMicrotask(() => transfer.begin())
      return transfer.stream
    },
    closed: () => undefined,
  }
  const device = { uid: UID, privateKey: createPrivateKey(privateKeyPem) }
  const outcome = await dialLink({ address: address.value, pins: pins.value, token: 'token', device }, ownerOf(handler))
  if ('cause' in outcome) throw new Error(outcome.cause.message)
}
