// A server here and a double of the old one, for tests of the import.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OldServerDouble, type OldServerOptions } from '@bowline/testkit/old-server-double'
import type { BootedServer, Person } from '../../testing/boot.ts'
import { freshKeyData } from '../../testing/samples.ts'
import { commandLine } from '../testing.ts'

/** A folder with the sign-in of a person. */
export async function homeOf(server: BootedServer, { auth }: Pick<Person, 'auth'>) {
  const home = await mkdtemp(join(tmpdir(), 'bowline-import-'))
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
  return { home, remove: () => rm(home, { recursive: true }), ...commandLine(() => ({ HOME: home })) }
}

/** Writes the double's token beside the other files. @returns options of `import fetch` */
export async function fetchOptions(home: string, old: OldServerDouble, credential = old.token): Promise<string> {
  await writeFile(join(home, 'token'), `${credential}\n`)
  return `import fetch ${old.origin} --token-file ${home}/token --to ${home}/old.json`
}

export const pem = (): string => generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' })
export const mac = (): string =>
  `02:${randomBytes(5)
    .toString('hex')
    .replaceAll(/..(?=.)/g, '$&:')}`

export function oldKey(name: string, values: Record<string, unknown> = {}): Record<string, unknown> {
  const data = freshKeyData()
  const blob = Buffer.from(Buffer.from(data, 'base64').toString().split(' ')[1] ?? '', 'base64')
  const fingerprint = createHash('md5')
    .update(blob)
    .digest('hex')
    .replaceAll(/..(?=.)/g, '$&:')
  return { name, data, fingerprint, username: '.*', filter: { hostname: '.*' }, ...values }
}

export function oldRule(id: string, values: Record<string, unknown> = {}): Record<string, unknown> {
  const rule = { action: 'deny', active: true, priority: 5, source_ip: '^10[.]', username: 'root' }
  return { id, ...rule, filter: { hostname: '.*' }, ...values }
}

/** An old server with some of everything, and some of what cannot come. */
export async function filledServer(options: OldServerOptions = {}): Promise<OldServerDouble> {
  const old = await OldServerDouble.start(options)
  const { state } = old
  state.members = [
    { id: '1', email: 'owner@example.com', role: 'owner', status: 'accepted' },
    { id: '2', email: 'grace@example.com', role: 'operator', status: 'accepted' },
    { id: '3', email: 'not an address', role: 'observer', status: 'accepted' },
  ]
  old.addDevice({ name: 'web', mac: mac(), public_key: pem(), tags: ['kiosk'] })
  old.addDevice({ name: 'rejected', mac: mac(), public_key: pem(), status: 'rejected' })
  old.addDevice({ name: 'waiting', mac: mac(), public_key: pem(), status: 'pending' })
  old.addDevice({
    name: 'box',
    mac: '0123456789ab',
    public_key: pem(),
    info: { id: 'docker', pretty_name: 'nginx', version: 'v0.19.0', arch: 'amd64', platform: 'connector' },
  })
  const foreign = old.addDevice({ name: 'foreign', mac: mac(), public_key: pem() })
  const device = state.devices.find(({ uid }) => uid === foreign)
  if (device) device['public_key'] = pem()
  state.publicKeys = [
    oldKey('laptop', { username: 'root', filter: { hostname: 'web' } }),
    oldKey('tagged', { filter: { tags: ['kiosk'] } }),
    oldKey('nowhere', { filter: { tags: ['unused'] } }),
    oldKey('lookahead', { username: '(?=root)' }),
  ]
  state.rules = [
    oldRule('a', { filter: { tags: ['kiosk'] } }),
    oldRule('b', { action: 'allow', priority: 9 }),
    oldRule('c', { source_ip: '10.0.0.0/8' }),
    oldRule('d', { username: '(?!root)' }),
  ]
  state.apiKeys = [{ name: 'ci', role: 'operator', expires_in: -1, tenant_id: old.tenant }]
  return old
}
