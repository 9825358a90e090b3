// Simulated agents in one process: real registrations, real links with the agent's own reconnection, no sessions.
// Executes its parent's orders from the process channel.
import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { LinkCause, LinkHandler } from '@bowline/link/api'
import { foregroundClock } from '@bowline/base/clock'
import { dialLink } from '@bowline/link/dial'
import { LinkKeeper } from '@bowline/link/reconnect'
import { signRegistration } from '@bowline/link/registration-proof'
import { type ServerAddress, parsePin, parseServerAddress } from '@bowline/link/server-address'
import { DeviceAuth, type DeviceAuthBody } from '@bowline/contract/schemas/device'
import { TenantId } from '@bowline/contract/schemas/common'
import { type Answer, Order } from './orders.ts'

interface SimulatedAgent {
  readonly uid: string
  readonly token: string
  readonly privateKey: KeyObject
  readonly facts: DeviceAuthBody
  /** The server's, base64url. */
  readonly statementKey: string
  /** Source of its registrations. */
  readonly address: string
}

const MAX_CONCURRENT_REGISTRATIONS = 16
/** The server rate-limits registrations by source; each group of this many devices uses another loopback address. */
const DEVICES_PER_ADDRESS = 100
const PARKED: LinkCause = { by: 'agent', reason: 'stopped', message: 'the agent is stopping' }
const REFUSED: LinkCause = { by: 'agent', reason: 'refused', message: 'a simulated agent serves nothing' }

const agents: SimulatedAgent[] = []
let keepers: LinkKeeper[] = []
let linked = 0
let wanted = Number.POSITIVE_INFINITY
let failures: Record<string, number> = {}
let onComplete: () => void = () => undefined

async function register(origin: string, tenant: string, count: number): Promise<void> {
  let next = agents.length
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next
      next += 1
      agents[index] = await registerOne(origin, tenant, index)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REGISTRATIONS }, work))
}

async function registerOne(origin: string, tenant: string, index: number): Promise<SimulatedAgent> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const body: DeviceAuthBody = {
    info: { id: 'debian', pretty_name: 'Debian GNU/Linux 12', version: '0.1.0', arch: 'x64', platform: 'linux' },
    hostname: `device-${index}`,
    identity: { mac: `02:00:00:00:${hex(index >> 8)}:${hex(index & 255)}` },
    public_key: publicKey.export({ type: 'spki', format: 'pem' }),
    tenant_id: TenantId.parse(tenant),
  }
  const group = Math.floor(index / DEVICES_PER_ADDRESS)
  const address = `127.1.${group >> 8}.${(group & 255) + 1}`
  const answer = DeviceAuth.parse(await post(`${origin}/api/devices/auth`, body, address))
  const { uid, token, statement_key: statementKey } = answer
  return { uid, token, privateKey, facts: body, statementKey, address }
}

async function registerAgain(origin: string): Promise<void> {
  const left = [...agents]
  const work = async (): Promise<void> => {
    for (let agent = left.pop(); agent; agent = left.pop()) {
      const { facts, privateKey, statementKey, address } = agent
      const proof = signRegistration(privateKey, facts, statementKey, Date.now())
      await post(`${origin}/api/devices/auth`, { ...facts, proof }, address)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REGISTRATIONS }, work))
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

async function post(url: string, body: object, localAddress: string): Promise<unknown> {
  const payload = JSON.stringify(body)
  const outgoing = request(url, {
    method: 'POST',
    localAddress,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
  })
  outgoing.end(payload)
  const incoming = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
  const responseText = await text(incoming)
  if (incoming.statusCode !== 200) throw new Error(`the server answered ${incoming.statusCode}: ${responseText}`)
  return JSON.parse(responseText)
}

function link(address: ServerAddress, pins: readonly Uint8Array[] | undefined, count: number): void {
  wanted = count
  for (const agent of agents.slice(keepers.length, count)) {
    const keeper = keeperOf(agent, address, pins)
    keepers.push(keeper)
    keeper.start()
  }
}

function keeperOf(
  { uid, token, privateKey }: SimulatedAgent,
  address: ServerAddress,
  pins: readonly Uint8Array[] | undefined,
): LinkKeeper {
  const report = (error: unknown, callback: string): void =>
    void process.stderr.write(`${callback}: ${String(error)}\n`)
  return new LinkKeeper({
    dial: (handler, signal) => {
      let isLinked = false
      const counted: LinkHandler = {
        ...handler,
        open: (kind, header, stream) => handler.open(kind, header, stream),
        closed(cause) {
          if (isLinked) linked -= 1
          handler.closed(cause)
        },
      }
      const target = { address, ...(pins ? { pins } : {}), token, device: { uid, privateKey } }
      return dialLink(target, { handler: counted, clock: foregroundClock, report }, signal).then((outcome) => {
        if ('link' in outcome) {
          isLinked = true
          linked += 1
          if (linked >= wanted) onComplete()
        } else failures[outcome.cause.reason] = (failures[outcome.cause.reason] ?? 0) + 1
        return outcome
      })
    },
    handler: { open: () => REFUSED, closed: () => undefined },
    clock: foregroundClock,
    random: Math.random,
    report,
  })
}

/** Resolves when all requested links are up. */
function complete(): Promise<void> {
  return linked >= wanted ? Promise.resolve() : new Promise((resolve) => (onComplete = resolve))
}

async function execute(order: Order): Promise<void> {
  switch (order.type) {
    case 'register':
      return register(order.origin, order.tenant, order.count)
    case 'register-again':
      return registerAgain(order.origin)
    case 'link': {
      const address = parseServerAddress(order.origin)
      const pins = order.pin === undefined ? undefined : parsePin(order.pin)
      if ('fault' in address || (pins && 'fault' in pins)) throw new Error('the address or the pin is wrong')
      link(address.value, pins?.value, order.count)
      return complete()
    }
    case 'relinked':
      return complete()
    case 'park':
      for (const keeper of keepers) keeper.close(PARKED)
      keepers = []
      wanted = Number.POSITIVE_INFINITY
  }
}

const answer = (message: Answer): void => void process.send?.(message)
process.on('message', (message) => {
  execute(Order.parse(message)).then(
    () => {
      answer({ type: 'done', failures })
      failures = {}
    },
    (error: unknown) => answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
  )
})
// Exit when the parent has gone.
process.on('disconnect', () => process.exit(0))
