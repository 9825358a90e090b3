// Hostile clients in their own thread, so that they do not slow down the honest one. Each repeats one attack until the
// thread ends; its number determines the attack and its source address.
import { request } from 'node:http'
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { TERMINAL_SUBPROTOCOL } from '@bowline/contract/terminal/messages'

export interface HostileWork {
  readonly count: number
  readonly host: string
  readonly httpPort: number
  readonly sshPort: number
  /** The honest person's namespace, which is in every install command. */
  readonly tenant: string
  /** Of an attacker with their own namespace. */
  readonly token: string
  /** PEM, for registrations. */
  readonly publicKey: string
}

const { count, host, httpPort, sshPort, tenant, token, publicKey } = workerData as HostileWork
/** A tenth of the clients share a few addresses, the others have one each. */
const addressOf = (number: number): string =>
  number % 10 === 0
    ? `127.9.9.${1 + (number % 50) / 10}`
    : `127.${10 + (number >> 16)}.${(number >> 8) & 255}.${1 + (number % 254)}`
const PAUSE_MS = 200
const tried = new Map<string, number>()

/** Opens a connection, sends bytes, reads nothing, and reconnects when it is dropped. */
async function holdConnection(number: number, port: number, bytes: string): Promise<void> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const socket: Socket = connect({ host, port, localAddress: addressOf(number) }, () => socket.write(bytes))
      socket.pause()
      socket.on('error', () => undefined).once('close', () => resolve())
    })
    await sleep(PAUSE_MS)
  }
}

/** Sends calls in a loop. */
async function call(number: number, method: string, path: string, headers: object, body: () => string): Promise<void> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const sent = request(
        { host, port: httpPort, method, path, localAddress: addressOf(number), agent: false, headers: { ...headers } },
        (answer) => {
          answer.resume().once('close', resolve)
        },
      )
      sent.once('error', () => resolve()).end(body())
    })
    await sleep(PAUSE_MS)
  }
}

const json = { 'content-type': 'application/json' }
const bearer = { authorization: `Bearer ${token}` }
const none = (): string => ''
const registration = (number: number): string =>
  JSON.stringify({
    info: { id: 'x', pretty_name: 'x'.repeat(256), version: '1', arch: 'x', platform: 'native' },
    hostname: `hostile-${number}-${Math.random().toString(36).slice(2)}`,
    identity: { mac: Math.random().toString(16).slice(2, 14) },
    public_key: publicKey,
    tenant_id: tenant,
  })
const search = JSON.stringify({
  requests: Array.from({ length: 10 }, (_, i) => ({
    indexName: 'docs',
    query: `confgurtion tunels ${Math.random()} ${i}`,
    hitsPerPage: 100,
  })),
})
const condition = (i: number): object => ({
  type: 'property',
  params: { name: 'name', operator: 'contains', value: `z${i}` },
})
const filter = Buffer.from(JSON.stringify(Array.from({ length: 20 }, (_, i) => condition(i)))).toString('base64url')
const head = (line: string, ...fields: string[]): string => [line, 'Host: localhost', ...fields, '', ''].join('\r\n')
const webSocket = head(
  'GET /ws/terminal HTTP/1.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  `Sec-WebSocket-Protocol: ${TERMINAL_SUBPROTOCOL}`,
)

const KINDS: Readonly<Record<string, (number: number) => Promise<void>>> = {
  'event streams that never read': (number) =>
    holdConnection(number, httpPort, head('GET /api/events HTTP/1.1', `Authorization: Bearer ${token}`)),
  'half bodies': (number) =>
    holdConnection(
      number,
      httpPort,
      `${head('POST /api/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 8000')}${'{"username":"'.padEnd(7_900, 'a')}`,
    ),
  'silent WebSockets': (number) => holdConnection(number, httpPort, webSocket),
  'silent SSH connections': (number) => holdConnection(number, sshPort, ''),
  registrations: (number) => call(number, 'POST', '/api/devices/auth', json, () => registration(number)),
  'docs searches': (number) =>
    call(
      number,
      'POST',
      '/1/indexes/*/queries?x-algolia-application-id=docs&x-algolia-api-key=public',
      json,
      () => search,
    ),
  'expensive filters': (number) => call(number, 'GET', `/api/devices?status=&filter=${filter}`, bearer, none),
  'guessed keys': (number) => call(number, 'GET', '/api/devices', { 'x-api-key': `guess-${Math.random()}` }, none),
}

const kinds = Object.entries(KINDS)
for (let number = 0; number < count; number += 1) {
  const [name = '', act] = kinds[number % kinds.length] ?? []
  tried.set(name, (tried.get(name) ?? 0) + 1)
  void act?.(number)
  // Stagger starts over a few seconds.
  if (number % 50 === 49) await sleep(50)
}
parentPort?.postMessage(Object.fromEntries(tried))
