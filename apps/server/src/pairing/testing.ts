// Devices without a namespace, for tests of pairing: what their agents ask, signed by a key of their own.
import { type KeyObject, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Clock } from '@bowline/base/clock'
import { operations } from '@bowline/contract/operations'
import { signPairing } from '@bowline/link/registration-proof'
import { type BootedServer, type Person, outcome } from '../testing/boot.ts'

const { pairings } = operations

/** What an agent says of its device. */
export interface Unpaired {
  readonly info: Record<'id' | 'pretty_name' | 'version' | 'arch' | 'platform', string>
  readonly hostname: string
  readonly identity: { readonly mac: string }
  readonly public_key: string
  readonly privateKey: KeyObject
}

export function unpaired(changes: { readonly hostname?: string; readonly mac?: string } = {}): Unpaired {
  const keys = generateKeyPairSync('ed25519')
  const mac = ['02', ...[...randomBytes(5)].map((byte) => byte.toString(16).padStart(2, '0'))].join(':')
  return {
    info: { id: 'debian', pretty_name: 'Debian 12', version: '0.1.0', arch: 'x64', platform: 'native' },
    hostname: changes.hostname ?? `d-${randomBytes(4).toString('hex')}`,
    identity: { mac: changes.mac ?? mac },
    public_key: keys.publicKey.export({ type: 'spki', format: 'pem' }),
    privateKey: keys.privateKey,
  }
}

/** Calls of agents and members at one server. */
export function pairingCalls(server: BootedServer, clock: Pick<Clock, 'now'>) {
  const start = async ({ privateKey, ...facts }: Unpaired, from = '192.0.2.1', at = clock.now()) => {
    const body = { ...facts, proof: signPairing(privateKey, facts, at) }
    const headers = { 'x-forwarded-for': from }
    return (await server.client().call(pairings.start, { body, headers })).body
  }
  return {
    start,
    poll: async (device_code: string) => (await server.client().call(pairings.poll, { body: { device_code } })).body,
    describe: async (person: Person, code: string, from = '192.0.2.200') =>
      (await person.client.call(pairings.describe, { body: { code }, headers: { 'x-forwarded-for': from } })).body,
    confirm: async (person: Person, code: string, fingerprint: string, name?: string) =>
      (await person.client.call(pairings.confirm, { body: { code, fingerprint, ...(name ? { name } : {}) } })).body,
    /** Outcome of a code that a member types without a look at the device. */
    tried: (person: Person, code: string, from = '192.0.2.200') =>
      outcome(person.client.call(pairings.describe, { body: { code }, headers: { 'x-forwarded-for': from } })),
  }
}
