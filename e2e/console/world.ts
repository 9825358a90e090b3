// A namespace with content for every screen, on the product itself: one server, one real agent and real sessions,
// shared by all journeys and screenshots.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { type DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { runCommand } from '../../apps/server/src/cli/program.ts'
import { fillPresence } from './presence.ts'
import { type Product, startProduct, withoutSettings } from '../support/product.ts'
import { type EchoSession, guess, startEcho } from '../support/ssh.ts'

export interface World {
  readonly product: Product
  /** Name and uid of the device with the agent. */
  readonly own: { readonly name: string; readonly uid: DeviceUid }
  readonly client: Awaited<ReturnType<Product['client']>>
  /** A session that stays open until the world is torn down. */
  readonly session: EchoSession
  /** Runs a command of the server's command line. */
  cli(...words: string[]): Promise<void>
  /**
   * Registers a device as its agent does.
   * @param system operating system it reports
   * @param platform `connector`: it is a container
   */
  register(
    hostname: string,
    system?: string,
    platform?: 'native' | 'connector',
    installKey?: string,
  ): Promise<DeviceUid>
  close(): Promise<void>
}

export const OBSERVER = { username: 'olga', password: 'observer-pass', email: 'olga@example.com' }

const SYSTEMS = [
  ['debian', 'Debian GNU/Linux 13 (trixie)', 'x86_64'],
  ['raspbian', 'Raspbian GNU/Linux 12 (bookworm)', 'aarch64'],
  ['alpine', 'Alpine Linux v3.22', 'aarch64'],
] as const

export async function startWorld(): Promise<World> {
  const product = await startProduct()
  const client = await product.client()
  const tenant = TenantId.parse(product.tenant)
  const { body: accepted } = await client.call(operations.devices.list, {})
  const name = product.sshid.slice(product.sshid.indexOf('.') + 1)
  const uid = accepted.find((device) => device.name === name)?.uid
  if (!uid) throw new Error(`the product has no device named ${name}`)

  let registered = 0
  const register = async (
    hostname: string,
    system?: string,
    platform: 'native' | 'connector' = 'native',
    installKey?: string,
  ): Promise<DeviceUid> => {
    const [id, known, arch] = SYSTEMS[registered % SYSTEMS.length] ?? SYSTEMS[0]
    registered += 1
    const { body } = await createClient({ origin: product.api }).call(operations.auth.authenticateDevice, {
      body: {
        hostname,
        identity: { mac: ['02', ...[...randomBytes(5)].map((byte) => byte.toString(16).padStart(2, '0'))].join(':') },
        info: { id, pretty_name: system ?? known, version: '0.1.0', arch, platform },
        public_key: generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
        tenant_id: tenant,
        install_key: installKey,
      },
    })
    return body.uid
  }
  const cli = async (...words: string[]): Promise<void> => {
    const output: string[] = []
    const code = await runCommand(words, {
      env: { ...withoutSettings(process.env), BOWLINE_DATA_DIR: product.dataFolder },
      read: () => Promise.resolve(''),
      print: (line) => output.push(line),
      complain: (line) => output.push(line),
    })
    if (code !== 0) throw new Error(`bowline ${words.join(' ')} ended with ${code}: ${output.join('\n')}`)
  }
  const login = `${userInfo().username}@${product.sshid}`
  const target = { ...product.ssh, login, password: product.device_password }
  const session = await startEcho(target)
  const world = { product, client, own: { name, uid }, session, cli, register }
  await fill(world)
  await fillPresence(product, uid)
  await guess({ ...target, password: 'wrong' }, 1)
  return {
    ...world,
    async close() {
      session.end()
      await product.stop()
    },
  }
}

/** Sample data of every kind. */
async function fill({ client: { call }, product, own, cli, register }: Omit<World, 'close'>): Promise<void> {
  const { accessRequests, devices, containers, firewall, publicKeys, apiKeys, namespaces, snippets } = operations
  const places = new Map([
    ['greenhouse-pi', { latitude: 52.52, longitude: 13.4 }],
    ['lab-nas', { latitude: 52.39, longitude: 13.06 }],
    ['kiosk-lobby', { latitude: -33.45, longitude: -70.66 }],
  ])
  const tags = new Map<string, string[]>([
    ['greenhouse-pi', ['garden']],
    ['lab-nas', ['lab', 'storage']],
    ['kiosk-lobby', []],
    ['edge-router-7', ['lab']],
  ])
  for (const [hostname, given] of tags) {
    const uid = await register(hostname)
    await call(devices.setStatus, { params: { uid, status: 'accept' } })
    if (given.length) await call(devices.setTags, { params: { uid }, body: { tags: given } })
    const position = places.get(hostname)
    if (position) await call(devices.update, { params: { uid }, body: { position } })
  }
  await call(devices.setTags, { params: { uid: own.uid }, body: { tags: ['lab'] } })
  for (const hostname of ['workshop-cam', 'attic-sensor']) await register(hostname)
  const rejected = await register('a-device-with-a-name-that-is-as-long-as-names-of-devices-may-be')
  await call(devices.setStatus, { params: { uid: rejected, status: 'reject' } })
  const container = await register('web-frontend', undefined, 'connector')
  await call(containers.setStatus, { params: { uid: container, status: 'accept' } })

  const rule = (priority: number, values: object) => ({
    action: 'deny' as const,
    active: true,
    priority,
    source_ip: '.*',
    username: '.*',
    filter: { hostname: '.*' },
    ...values,
  })
  await call(firewall.create, { body: rule(30, { action: 'allow', source_ip: '^127\\.' }) })
  await call(firewall.create, { body: rule(20, { username: '^root$', filter: { tags: ['storage'] } }) })
  await call(firewall.create, { body: rule(10, { active: false, filter: { hostname: 'kiosk' } }) })
  await call(accessRequests.create, {
    body: { device: own.uid, accounts: ['root'], minutes: 60, reason: 'The disk is full, ticket 4711' },
  })
  await call(publicKeys.create, {
    body: { name: 'ada@laptop', username: '.*', filter: { tags: ['lab'] }, data: freshKey('ada@laptop') },
  })
  await call(publicKeys.create, {
    body: { name: 'deploy', username: 'deploy|ci', filter: { hostname: '.*' }, data: freshKey('deploy') },
  })
  await call(apiKeys.create, { body: { name: 'backups', role: 'observer', expires_at: 90 } })
  await call(apiKeys.create, { body: { name: 'provisioning', role: 'operator', expires_at: -1 } })
  const { body: own_ } = await call(namespaces.update, {
    params: { tenant: TenantId.parse(product.tenant) },
    body: {
      settings: { connection_announcement: 'Authorised use only.\nCall +49 30 1234 before you restart anything.' },
    },
  })
  await call(snippets.create, { body: { name: 'Free space', text: 'df -h /' } })
  await call(snippets.create, {
    body: { name: 'Newest logs', text: 'cd /var/log\nls -lt | head', tags: ['lab', 'storage'] },
  })
  await cli('user', 'create', OBSERVER.username, OBSERVER.password, OBSERVER.email)
  await cli('namespace', 'member', 'add', OBSERVER.username, own_.name, 'observer')
  await cli(
    'announcement',
    'create',
    'Maintenance on Saturday',
    '# What happens\n\nThe server restarts at **22:00 UTC**. Sessions end; devices come back by themselves.\n\n- [Status](https://status.example.com)\n- `ssh` works again within a minute',
  )
}

/** `data` of a public key: base64 of a line in OpenSSH's format. */
export function freshKey(comment: string): string {
  return Buffer.from(freshKeyLine(comment)).toString('base64')
}

/** A new Ed25519 key as a line in OpenSSH's format (RFC 8709). */
export function freshKeyLine(comment: string): string {
  const part = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(randomBytes(32))])
  return `ssh-ed25519 ${blob.toString('base64')} ${comment}`
}
