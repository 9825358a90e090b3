// `bowline tunnel connect` through a whole server, to a real TLS service.
import { once } from 'node:events'
import { writeFile, mkdtemp, rm } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { publicKeyPin } from '../../platform/network/certificate.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { openTunnel, tunnelDevice } from '../../tunnels/testing/device.ts'
import { TLS_SETTINGS, certificate, endOf, tlsService } from '../../tunnels/testing/tls.ts'
import { runCommand } from '../program.ts'
import { commandLine } from '../testing.ts'
import { type RelayOptions, relayTunnel } from './tunnel-relay.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: TLS_SETTINGS })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

async function shoutingTunnel(): Promise<Tunnel> {
  const port = await tlsService((socket) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk))
    socket.on('end', () => socket.end(text.toUpperCase()))
  })
  return openTunnel(person, await tunnelDevice(server, person), port, { protocol: 'tcp' })
}

function dial(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  return socket
}

async function relayTo({ url }: Tunnel, options: Partial<RelayOptions>) {
  const failures: string[] = []
  const all = { tunnel: url, port: 0, via: '127.0.0.1', failed: (message: string) => void failures.push(message) }
  const relay = await relayTunnel({ ...all, ...options })
  onTestFinished(() => relay.close())
  return { ...relay, failures }
}

async function shout(port: number): Promise<string> {
  const socket = dial(port)
  const answer = once(socket, 'data')
  socket.end('plain text')
  return String((await answer)[0])
}

it('adds TLS with the name of the tunnel, and carries the end of each half', async () => {
  const tunnel = await shoutingTunnel()
  const { cert } = await certificate()
  const trusting = await relayTo(tunnel, { ca: cert })
  expect(await Promise.all([shout(trusting.port), shout(trusting.port)])).toEqual(['PLAIN TEXT', 'PLAIN TEXT'])
  const pinning = await relayTo(tunnel, { pin: publicKeyPin(cert) })
  expect(await shout(pinning.port)).toBe('PLAIN TEXT')
  expect([...trusting.failures, ...pinning.failures]).toEqual([])
})

it('sends nothing to a service whose certificate, name or key is another one', async () => {
  const tunnel = await shoutingTunnel()
  const { cert } = await certificate()
  const other = `sha256//${Buffer.alloc(32).toString('base64')}`
  for (const [options, why] of [
    [{}, /self-signed|unable to verify/],
    [{ ca: cert, name: 'elsewhere.example' }, /does not match/],
    [{ pin: other }, /another key/],
  ] as const) {
    const relay = await relayTo(tunnel, options)
    const socket = dial(relay.port)
    const end = endOf(socket)
    socket.write('secret')
    expect(await end).toBe('ECONNRESET')
    expect(relay.failures).toEqual([expect.stringMatching(why)])
  }
})

it('runs as a command until a signal stops it, and names invalid arguments', async () => {
  const tunnel = await shoutingTunnel()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-relay-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'ca.pem')
  await writeFile(file, (await certificate()).cert)
  const out: string[] = []
  const terminal = { env: {}, read: () => Promise.resolve(''), print: (line: string) => void out.push(line) }
  const running = runCommand(['tunnel', 'connect', tunnel.url, '--ca', file, '--via', '127.0.0.1'], {
    ...terminal,
    complain: () => undefined,
  })
  const port = await until(() => /Listening on 127\.0\.0\.1:(\d+)\./.exec(out.join(''))?.[1])
  expect(await shout(Number(port))).toBe('PLAIN TEXT')
  process.emit('SIGTERM')
  expect(await running).toBe(0)
  expect(await endOf(dial(Number(port)))).toBe('ECONNREFUSED')

  const { refusal } = commandLine(() => ({}))
  expect(await refusal('tunnel connect https://x.example')).toEqual([
    2,
    'bowline: The tunnel must be tls://name:port, as its url is.',
  ])
  expect(await refusal(`tunnel connect ${tunnel.url} --pin sha256//x`)).toEqual([
    2,
    'bowline: The pin must be sha256// and the base64 hash of the service’s public key.',
  ])
  expect(await refusal(`tunnel connect ${tunnel.url} --listen 70000`)).toEqual([
    2,
    'bowline: The port must be 0 to 65535.',
  ])
})
