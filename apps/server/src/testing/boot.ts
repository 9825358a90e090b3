// The whole server in a test: real HTTP and SSH listeners on loopback, with its own database and folder. Tests act as
// clients; only rows that no call can create yet are written directly.
import { type KeyObject, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, type ClientOptions, createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import type { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { TenantId as TenantIdSchema, UserId as UserIdSchema } from '@bowline/contract/schemas/common'
import type { DeviceAuth, DeviceAuthBody } from '@bowline/contract/schemas/device'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { type Clock, systemClock } from '@bowline/base/clock'
import { createPasswordHasher } from '../auth/password-hashes/passwords.ts'
import { readConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { OwnerConnection } from '../db/owner-session.ts'
import { testDatabase } from './database.ts'
import { createNamespace } from '../namespaces/service.ts'
import { randomIds } from '../platform/ids.ts'
import { type Log, silentLog } from '../platform/log.ts'
import { startServer } from '../compose/server.ts'
import { COMMAND_LINE } from '../users/activity.ts'
import { createUser } from '../users/service.ts'

export type Client = ReturnType<typeof createClient>

export interface BootOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** Correct the clock by the database's. */
  readonly sharedTime?: true
  /** Further settings, as environment variables. */
  readonly settings?: Readonly<Record<string, string>>
  /** Replaces the server's connection to its database: returns the address to use. */
  readonly reach?: (owner: OwnerConnection) => Promise<string>
}

/** A user signed in with `POST /api/login`. */
export interface Person {
  readonly id: UserId
  readonly username: string
  readonly password: string
  /** The personal namespace. */
  readonly tenant: TenantId
  readonly namespace: string
  readonly auth: UserAuth
  readonly client: Client
}

/** A registered device, with its registration body. */
export interface RegisteredDevice extends DeviceAuth {
  readonly body: DeviceAuthBody
  readonly privateKey: KeyObject
}

export interface BootedServer {
  readonly origin: string
  readonly sshPort: number
  /** The signed link of the first account. */
  readonly setupLink: string
  readonly dataFolder: string
  /** 64 hex digits; unseals the instance's keys. */
  readonly secretKey: string
  /** Headers of the platform's own calls. */
  readonly nodeHeaders: { readonly 'x-node-secret': string }
  /** The server's database on connections of the test, to inspect effects of calls. */
  readonly database: Database
  /** Owner of the tables; sees no rows of a namespace. */
  readonly owner: OwnerConnection
  /** A contract client; anonymous without a token. */
  client(token?: string): Client
  /** A plain request to a path of the server. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** Creates the first account by the set-up link and signs in. Works once. */
  setUpAccount(): Promise<Person>
  /** Another person with a namespace of their own, signed in. */
  addPerson(username: string): Promise<Person>
  /** Adds a person to a namespace. */
  addMember(tenant: TenantId, user: UserId, role: Role): Promise<void>
  removeMember(tenant: TenantId, user: UserId): Promise<void>
  /** Registers a device with a key pair of its own: a pending row. */
  registerDevice(tenant: TenantId, values?: Partial<DeviceAuthBody>): Promise<RegisteredDevice>
  /** Registers a device and accepts it as `person`. */
  acceptedDevice(person: Person, values?: Partial<DeviceAuthBody>): Promise<RegisteredDevice>
  close(): Promise<void>
}

export const PASSWORD = 'correct horse battery'

/** Boots a server; call it in `beforeAll` and close it in `afterAll`. */
export async function bootServer(options: BootOptions = {}): Promise<BootedServer> {
  const scratch = await testDatabase()
  const { database, owner } = scratch
  const dataFolder = await mkdtemp(join(tmpdir(), 'bowline-server-'))
  const secretKey = randomBytes(32).toString('hex')
  const remove = async (): Promise<void> => {
    await scratch.close()
    await rm(dataFolder, { recursive: true, force: true })
  }
  try {
    const config = await readConfig({
      BOWLINE_HTTP_PORT: '0',
      BOWLINE_SSH_PORT: '0',
      BOWLINE_DATA_DIR: dataFolder,
      BOWLINE_DATABASE_URL: await (options.reach ?? databaseUrl)(owner),
      BOWLINE_SECRET_KEY: secretKey,
      // Tests count the streams that the server opens.
      BOWLINE_HEALTH: 'off',
      ...options.settings,
    })
    const { clock = systemClock, log = silentLog, sharedTime } = options
    const running = await startServer({ config, log, clock, ids: randomIds, ...(sharedTime ? { sharedTime } : {}) })
    const { sshPort, setupLink = '' } = running
    const origin = onLoopback(running.origin)
    const close = async (): Promise<void> => {
      await running.close()
      await remove()
    }
    return {
      origin,
      sshPort,
      setupLink,
      dataFolder,
      secretKey,
      nodeHeaders: { 'x-node-secret': config.nodeSecret },
      owner,
      database,
      close,
      ...actions(origin, setupLink, database, clock),
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The server's own origin may have the public host name of its settings. */
function onLoopback(address: string): string {
  const url = new URL(address)
  url.hostname = '127.0.0.1'
  return url.origin
}

/** A `postgres://` address of a connection; a socket folder travels in the query. */
export function databaseUrl(owner: OwnerConnection): string {
  if (typeof owner === 'string') return owner
  const url = new URL(`postgres://localhost:${owner.port}/${owner.database}`)
  url.username = encodeURIComponent(owner.user)
  url.password = encodeURIComponent(owner.password)
  url.searchParams.set('host', owner.host)
  return url.href
}

type Actions = Omit<
  BootedServer,
  'origin' | 'sshPort' | 'setupLink' | 'dataFolder' | 'secretKey' | 'nodeHeaders' | 'database' | 'owner' | 'close'
>

function actions(origin: string, setupLink: string, database: Database, clock: Clock): Actions {
  const client = (token?: string): Client => {
    const options: ClientOptions = { origin, token: () => token }
    return createClient(options)
  }
  const signIn = async (username: string): Promise<Person> => {
    const { body: auth } = await client().call(operations.auth.login, { body: { username, password: PASSWORD } })
    const tenant = TenantIdSchema.parse(auth.tenant)
    const { name: namespace } = await database
      .system()
      .selectFrom('namespaces')
      .select('name')
      .where('tenant_id', '=', tenant)
      .executeTakeFirstOrThrow()
    const id = UserIdSchema.parse(auth.id)
    return { id, username, password: PASSWORD, tenant, namespace, auth, client: client(auth.token) }
  }
  const registerDevice = async (tenant: TenantId, values: Partial<DeviceAuthBody> = {}): Promise<RegisteredDevice> => {
    const keys = generateKeyPairSync('ed25519')
    const body: DeviceAuthBody = {
      info: { id: 'debian', pretty_name: 'Debian 12', version: 'v0.1.0', arch: 'x64', platform: 'native' },
      hostname: `device-${randomBytes(4).toString('hex')}`,
      identity: {
        mac: randomBytes(6)
          .toString('hex')
          .replaceAll(/..(?=.)/g, '$&:'),
      },
      public_key: keys.publicKey.export({ type: 'spki', format: 'pem' }),
      tenant_id: tenant,
      ...values,
    }
    const answer = await client().call(operations.auth.authenticateDevice, { body })
    return { ...answer.body, body, privateKey: keys.privateKey }
  }
  return {
    client,
    registerDevice,
    fetch: (path, init) => fetch(origin + path, init),
    async setUpAccount() {
      const sign = new URL(setupLink).searchParams.get('sign') ?? ''
      const body = { name: 'Ada Lovelace', email: 'ada@example.com', username: 'ada', password: PASSWORD }
      await client().call(operations.instance.setup, { query: { sign }, body })
      return signIn('ada')
    },
    async addPerson(username) {
      const db = database.system()
      const passwordHash = await passwordHashOnce()
      const email = `${username}@example.com`
      const user = { name: username, username, email, passwordHash, status: 'confirmed' as const, maxNamespaces: -1 }
      const owner = await createUser(db, { ids: randomIds, clock, origin: COMMAND_LINE }, user)
      await createNamespace(db, randomIds, { name: `${username}-home`, owner, type: 'personal' })
      return signIn(username)
    },
    async addMember(tenant, user, role) {
      const member = { tenant_id: tenant, user_id: user, role, status: 'accepted' as const }
      await database.system().insertInto('members').values(member).execute()
    },
    async removeMember(tenant, user) {
      const members = database.system().deleteFrom('members')
      await members.where('tenant_id', '=', tenant).where('user_id', '=', user).execute()
    },
    async acceptedDevice(person, values) {
      const device = await registerDevice(person.tenant, values)
      await setStatus(person, device.uid, 'accept')
      return device
    },
  }
}

/** Sets a device's status as a person. */
export async function setStatus(
  person: Person,
  uid: DeviceUid,
  status: 'accept' | 'reject' | 'pending' | 'unused',
): Promise<void> {
  await person.client.call(operations.devices.setStatus, { params: { uid, status } })
}

/** Outcome of a call: `200`, or the failure as `409 CONFLICT name` (status, code, invalid fields). */
export async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return '200'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [error.status, error.code ?? '', error.fields.join(',')].filter((part) => part !== '').join(' ')
  }
}

/** Reads a live stream until it contains a text. */
export async function readUntil(response: Response, wanted: string): Promise<string> {
  let heard = ''
  for await (const chunk of response.body ?? []) {
    heard += Buffer.from(chunk).toString()
    if (heard.includes(wanted)) break
  }
  return heard
}

let passwordHash: Promise<string> | undefined
/** All test users share one password, so it is hashed once. */
function passwordHashOnce(): Promise<string> {
  passwordHash ??= createPasswordHasher().then((passwords) => passwords.hash(PASSWORD))
  return passwordHash
}
