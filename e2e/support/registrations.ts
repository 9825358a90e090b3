// Registers devices that then do nothing: rows that the server has acknowledged, so that a test can check that none was
// lost.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { signPairing } from '@bowline/link/registration-proof'
import type { Client, Server } from './server.ts'

export interface Answer {
  readonly status: number
  readonly body: string
}

/**
 * Registers one new device.
 * @param source loopback address to connect from: registrations are rate limited per source
 * @throws {Error} when there is no answer
 */
export function register(server: Server, name: string, source = '127.0.0.1', agent?: Agent): Promise<Answer> {
  const { publicKey } = generateKeyPairSync('ed25519')
  const body = JSON.stringify({
    info: { id: 'debian', pretty_name: 'Debian', version: '0.1.0', arch: 'amd64', platform: 'native' },
    hostname: name,
    identity: { mac: macOf(name) },
    public_key: publicKey.export({ type: 'spki', format: 'pem' }),
    tenant_id: server.tenant,
  })
  return new Promise((resolve, reject) => {
    const call = request(`${server.origin}/api/devices/auth`, {
      method: 'POST',
      localAddress: source,
      headers: { 'content-type': 'application/json' },
      ...(agent ? { agent } : {}),
    })
    call.on('error', reject)
    call.on('response', (response) => {
      text(response).then((output) => resolve({ status: response.statusCode ?? 0, body: output }), reject)
    })
    call.end(body)
  })
}

/** A device that shows a code. @returns what it shows, as environment variables */
export async function waitingDevice(server: Server, name: string): Promise<{ CODE: string; FINGERPRINT: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const facts = {
    info: { id: 'debian', pretty_name: 'Debian', version: '0.1.0', arch: 'amd64', platform: 'native' },
    hostname: name,
    identity: { mac: macOf(name) },
    public_key: publicKey.export({ type: 'spki', format: 'pem' }),
  }
  const body = { ...facts, proof: signPairing(privateKey, facts, Date.now()) }
  const { body: code } = await createClient({ origin: server.origin }).call(operations.pairings.start, { body })
  return { CODE: code.user_code, FINGERPRINT: code.fingerprint }
}

/** A locally administered MAC address per name: devices with the same address replace each other. */
function macOf(name: string): string {
  return `02:${createHash('sha256').update(name).digest('hex').slice(0, 10).match(/../g)?.join(':') ?? ''}`
}

export interface Writer {
  /** Uids that the server has acknowledged. */
  readonly acknowledged: ReadonlySet<string>
  /** Settles when it was stopped, or each connection has met another answer than success, or none. */
  readonly done: Promise<readonly (Answer | Error)[]>
  /** Begins nothing new. */
  stop(): void
}

/**
 * Registers devices with limited concurrency until the server fails.
 * @param prefix of the devices' names
 */
export function startWriter(server: Server, atOnce: number, prefix = 'row'): Writer {
  const acknowledged = new Set<string>()
  let isStopped = false
  async function write(index: number): Promise<Answer | Error> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    try {
      for (let count = 0; ; count += 1) {
        const answer = await register(server, `${prefix}-${index}-${count}`, `127.0.1.${index + 1}`, agent)
        if (answer.status !== 200) return answer
        acknowledged.add((JSON.parse(answer.body) as { uid: string }).uid)
        if (isStopped) return answer
      }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    } finally {
      agent.destroy()
    }
  }
  return {
    acknowledged,
    done: Promise.all(Array.from({ length: atOnce }, (_, index) => write(index))),
    stop: () => void (isStopped = true),
  }
}

/** Uids of the pending devices. */
export async function pendingUids({ call }: Client): Promise<Set<string>> {
  const uids = new Set<string>()
  for (let page = 1; ; page += 1) {
    const query = { status: 'pending', per_page: '100', page: String(page), sort_by: 'created_at' } as const
    const { body } = await call(operations.devices.list, { query })
    for (const { uid } of body) uids.add(uid)
    if (body.length < 100) return uids
  }
}
