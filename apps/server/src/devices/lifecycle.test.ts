// Life of a device over HTTP: lists, acceptance and its rules, removal, audit entries.
import { createHash, createPublicKey, randomUUID } from 'node:crypto'
import { ApiError } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { DeviceUid, SessionUid, type TenantId } from '@bowline/contract/schemas/common'
import type { Device } from '@bowline/contract/schemas/device'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type BootedServer,
  type Person,
  type RegisteredDevice,
  bootServer,
  readUntil,
  setStatus,
} from '../testing/boot.ts'

const { devices, containers } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

/** Each test uses its own namespace. */
const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const unknownUid = DeviceUid.parse('a'.repeat(64))

async function names(person: Person, query: Record<string, string> = {}): Promise<string[]> {
  return (await person.client.call(devices.list, { query })).body.map(({ name }) => name)
}
const get = async (person: Person, device: { uid: DeviceUid }): Promise<Device> =>
  (await person.client.call(devices.get, { params: { uid: device.uid } })).body

/** Status and code of a failed call; 200 and '' of a successful one. */
const outcome = (call: Promise<unknown>): Promise<[number, string]> =>
  call.then(
    () => [200, ''],
    (error: unknown) => {
      if (error instanceof ApiError) return [error.status, error.code ?? '']
      throw error
    },
  )

/** A member with that role in a person's namespace. */
async function member(of: Person, role: 'observer' | 'operator' | 'administrator'): Promise<Person> {
  const guest = await newcomer()
  await server.addMember(of.tenant, guest.id, role)
  const { body } = await guest.client.call(operations.auth.switchNamespace, { params: { tenant: of.tenant } })
  return { ...guest, client: server.client(body.token) }
}

/** Ed25519 fingerprint as printed by `ssh-keygen -l`. */
function fingerprintOf({ body }: RegisteredDevice): string {
  const raw = createPublicKey(body.public_key).export({ format: 'der', type: 'spki' }).subarray(-32)
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(raw)])
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

async function limit(tenant: TenantId, maxDevices: number): Promise<void> {
  const namespaces = server.database.system().updateTable('namespaces')
  await namespaces.set({ max_devices: maxDevices }).where('tenant_id', '=', tenant).execute()
}

describe('list of devices', () => {
  it('lists accepted devices by default, or those of the requested status', async () => {
    const person = await newcomer()
    const word = { accepted: 'accept', rejected: 'reject', unused: 'unused' } as const
    await server.registerDevice(person.tenant, { hostname: 'pending' })
    for (const status of ['accepted', 'rejected', 'unused'] as const) {
      const device = await server.registerDevice(person.tenant, { hostname: status })
      await setStatus(person, device.uid, word[status])
    }
    expect(await names(person)).toEqual(['accepted'])
    for (const status of ['accepted', 'pending', 'rejected', 'unused']) {
      expect(await names(person, { status })).toEqual([status])
    }
    expect(await names(person, { status: 'removed' })).toEqual([])
    expect((await names(person, { status: '' })).sort((a, b) => a.localeCompare(b))).toEqual([
      'accepted',
      'pending',
      'rejected',
      'unused',
    ])
  })

  it('paginates devices, clamps page sizes and returns the total on every page', async () => {
    const person = await newcomer()
    const waiting = Array.from({ length: 12 }, (_, i) => `box-${String(i).padStart(2, '0')}`)
    for (const hostname of waiting) await server.registerDevice(person.tenant, { hostname })
    const page = async (query: Record<string, string>) => {
      const order = { status: 'pending', sort_by: 'name', order_by: 'asc' } as const
      const { body, total } = await person.client.call(devices.list, { query: { ...order, ...query } })
      expect(total).toBe(12)
      return body.map(({ name }) => name)
    }
    expect(await page({})).toEqual(waiting.slice(0, 10))
    expect(await page({ page: '2' })).toEqual(waiting.slice(10))
    expect(await page({ page: '3', per_page: '5' })).toEqual(waiting.slice(10))
    expect(await page({ page: '0', per_page: '0' })).toEqual(waiting.slice(0, 10))
    expect(await page({ page: '-7', per_page: '-1' })).toEqual(waiting.slice(0, 10))
    expect(await page({ per_page: '101' })).toEqual(waiting)
    expect(await page({ page: '3' })).toEqual([])
    expect(await page({ page: '999999999999999', per_page: '100' })).toEqual([])
  })

  it('sorts devices by the requested field, descending by default, in a stable order', async () => {
    const person = await newcomer()
    for (const hostname of ['b', 'c', 'a']) await server.registerDevice(person.tenant, { hostname })
    const sorted = (sort_by: string, order_by?: string) =>
      names(person, { status: 'pending', sort_by, ...(order_by === undefined ? {} : { order_by }) })
    expect(await sorted('name')).toEqual(['c', 'b', 'a'])
    expect(await sorted('name', 'asc')).toEqual(['a', 'b', 'c'])
    expect(await sorted('name', 'sideways')).toEqual(['c', 'b', 'a'])
    expect(await sorted('created_at')).toEqual(['a', 'c', 'b'])
    expect(await sorted('created_at', 'asc')).toEqual(['b', 'c', 'a'])
    expect(await names(person, { status: 'pending' })).toEqual(['a', 'c', 'b'])
    // All have the same status: the tie-break is stable, and pages neither repeat nor omit a device.
    const all = await sorted('status', 'asc')
    const single = async (page: string) =>
      (await names(person, { status: 'pending', sort_by: 'status', order_by: 'asc', per_page: '1', page }))[0]
    expect([await single('1'), await single('2'), await single('3')]).toEqual(all)
  })

  it('lists containers separately from devices', async () => {
    const person = await newcomer()
    const info = { id: '', pretty_name: '', version: '', arch: '', platform: 'connector' }
    await server.acceptedDevice(person, { hostname: 'container', info })
    await server.acceptedDevice(person, { hostname: 'device' })
    expect(await names(person)).toEqual(['device'])
    const { body, total } = await person.client.call(containers.list, {})
    expect([body.map(({ name }) => name), total]).toEqual([['container'], 1])
  })

  it('lists only devices of the token’s namespace', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()]
    await server.acceptedDevice(theirs)
    const { body, total } = await mine.client.call(devices.list, { query: { status: '' } })
    expect([body, total]).toEqual([[], 0])
  })
})

describe('device', () => {
  it('returns every field of a device, including both spellings of the status time', async () => {
    const person = await newcomer()
    const device = await server.registerDevice(person.tenant, { hostname: 'box' })
    const answer = await person.client.call(devices.get, { params: { uid: device.uid } })
    const { created_at, last_seen, status_updated_at, status_update_at, ...rest } = answer.body
    expect(rest).toEqual({
      uid: device.uid,
      name: 'box',
      identity: device.body.identity,
      info: device.body.info,
      public_key: device.body.public_key,
      tenant_id: person.tenant,
      namespace: person.namespace,
      online: false,
      status: 'pending',
      remote_addr: '127.0.0.1',
      position: { latitude: 0, longitude: 0 },
      tags: [],
      public_url: false,
      acceptable: false,
      note: '',
      fields: {},
    })
    expect(status_update_at).toBe(status_updated_at)
    for (const time of [created_at, last_seen, status_updated_at]) expect(new Date(time).toISOString()).toBe(time)
  })

  it('answers calls for a device of another namespace like those for an unknown one', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()]
    const device = await server.acceptedDevice(theirs)
    for (const uid of [device.uid, unknownUid]) {
      const params = { uid }
      expect(await outcome(mine.client.call(devices.get, { params }))).toEqual([404, 'NOT_FOUND'])
      expect(await outcome(mine.client.call(devices.remove, { params }))).toEqual([404, 'NOT_FOUND'])
      expect(await outcome(setStatus(mine, uid, 'reject'))).toEqual([404, 'NOT_FOUND'])
    }
    expect(await get(theirs, device)).toMatchObject({ status: 'accepted' })
  })
})

describe('status of a device', () => {
  it('allows any change of status before acceptance', async () => {
    const person = await newcomer()
    const device = await server.registerDevice(person.tenant)
    for (const [word, status] of [
      ['reject', 'rejected'],
      ['pending', 'pending'],
      ['unused', 'unused'],
      ['unused', 'unused'],
      ['reject', 'rejected'],
      ['accept', 'accepted'],
    ] as const) {
      await setStatus(person, device.uid, word)
      expect(await get(person, device)).toMatchObject({ status })
    }
  })

  it('updates the status time when the status is set', async () => {
    const person = await newcomer()
    const device = await server.registerDevice(person.tenant)
    const before = await get(person, device)
    await setStatus(person, device.uid, 'reject')
    const after = await get(person, device)
    expect(Date.parse(after.status_updated_at)).toBeGreaterThanOrEqual(Date.parse(before.status_updated_at))
    expect(after.created_at).toBe(before.created_at)
  })

  it('refuses to change the status of an accepted device', async () => {
    const person = await newcomer()
    const device = await server.acceptedDevice(person)
    for (const word of ['accept', 'reject', 'pending', 'unused'] as const) {
      expect(await outcome(setStatus(person, device.uid, word))).toEqual([400, 'DEVICE_STATUS_FINAL'])
    }
    expect(await get(person, device)).toMatchObject({ status: 'accepted' })
  })

  it('requires operator to set a status and administrator to remove a device', async () => {
    const person = await newcomer()
    const device = await server.registerDevice(person.tenant)
    const params = { uid: device.uid }
    expect(await outcome(setStatus(await member(person, 'observer'), device.uid, 'reject'))).toEqual([403, 'FORBIDDEN'])
    const operator = await member(person, 'operator')
    expect(await outcome(setStatus(operator, device.uid, 'reject'))).toEqual([200, ''])
    expect(await outcome(operator.client.call(devices.remove, { params }))).toEqual([403, 'FORBIDDEN'])
    const administrator = await member(person, 'administrator')
    expect(await outcome(administrator.client.call(devices.remove, { params }))).toEqual([200, ''])
  })
})

describe('acceptance of a device', () => {
  it('refuses to accept a second device with the same name, case-insensitively', async () => {
    const person = await newcomer()
    await server.acceptedDevice(person, { hostname: 'box' })
    const second = await server.registerDevice(person.tenant, { hostname: 'BOX' })
    const refused = await setStatus(person, second.uid, 'accept').catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 409, code: 'DEVICE_NAME_TAKEN', fields: ['name'] })
    expect(await get(person, second)).toMatchObject({ status: 'pending' })
  })

  it('allows accepted devices of the same name in different namespaces', async () => {
    const [mine, theirs] = [await newcomer(), await newcomer()]
    await server.acceptedDevice(theirs, { hostname: 'box' })
    const device = await server.acceptedDevice(mine, { hostname: 'box' })
    expect(await get(mine, device)).toMatchObject({ status: 'accepted' })
  })

  it('accepts one of six same-named devices under concurrent acceptances', async () => {
    const person = await newcomer()
    const twins = await Promise.all(
      Array.from({ length: 6 }, () => server.registerDevice(person.tenant, { hostname: 'twin' })),
    )
    const outcomes = await Promise.all(twins.map(({ uid }) => outcome(setStatus(person, uid, 'accept'))))
    expect(outcomes.map(([status]) => status).sort((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
  })

  describe('device with the MAC of an accepted one', () => {
    const identity = { mac: '02:00:00:00:00:AA' }

    async function reinstalled(person: Person): Promise<{ old: RegisteredDevice; fresh: RegisteredDevice }> {
      const old = await server.acceptedDevice(person, { identity, hostname: 'old-name' })
      const fresh = await server.registerDevice(person.tenant, {
        identity: { mac: identity.mac.toLowerCase() },
        hostname: 'new-name',
      })
      return { old, fresh }
    }

    it('replaces the old device and keeps its name and sessions', async () => {
      const person = await newcomer()
      const { old, fresh } = await reinstalled(person)
      const session = SessionUid.parse('5'.repeat(64))
      const row = {
        uid: session,
        tenant_id: person.tenant,
        device_uid: old.uid,
        username: 'root',
        type: 'term' as const,
      }
      await server.database.system().insertInto('sessions').values(row).execute()
      await setStatus(person, fresh.uid, 'accept')
      expect(await get(person, fresh)).toMatchObject({ status: 'accepted', name: 'old-name' })
      expect(await outcome(get(person, old))).toEqual([404, 'NOT_FOUND'])
      const { body } = await person.client.call(operations.sessions.list, {})
      expect(body).toMatchObject([{ uid: session, device_uid: fresh.uid, device: { name: 'old-name' } }])
    })

    it('keeps the connector to the engine of a replaced device', async () => {
      const person = await newcomer()
      const { old, fresh } = await reinstalled(person)
      const { connectors } = operations
      await person.client.call(connectors.create, { body: { enable: false, device: old.uid } })
      await setStatus(person, fresh.uid, 'accept')
      expect((await person.client.call(connectors.list, {})).body).toMatchObject([{ device: fresh.uid }])
    })

    it('keeps the tags of a replaced device, and the position that a person has set', async () => {
      const person = await newcomer()
      const { old, fresh } = await reinstalled(person)
      await person.client.call(devices.setTags, { params: { uid: old.uid }, body: { tags: ['prod', 'pci'] } })
      const position = { latitude: 59.91, longitude: 10.75 }
      await person.client.call(devices.update, { params: { uid: old.uid }, body: { position } })
      await setStatus(person, fresh.uid, 'accept')
      expect(await get(person, fresh)).toMatchObject({ tags: ['prod', 'pci'], position, placed: true })
    })

    it('refuses a replacement by a member who may not remove devices, without any change', async () => {
      const person = await newcomer()
      const { old, fresh } = await reinstalled(person)
      const refused = await setStatus(await member(person, 'operator'), fresh.uid, 'accept').catch(
        (error: unknown) => error,
      )
      expect(refused).toMatchObject({ status: 403, code: 'DEVICE_REPLACES' })
      expect(String(refused)).toContain('old-name')
      expect(await get(person, old)).toMatchObject({ status: 'accepted', name: 'old-name' })
      expect(await get(person, fresh)).toMatchObject({ status: 'pending', name: 'new-name' })
    })

    it('audits a replacement with the fingerprints of both keys', async () => {
      const person = await newcomer()
      const { old, fresh } = await reinstalled(person)
      await setStatus(person, fresh.uid, 'accept')
      const { body } = await person.client.call(operations.audit.list, {})
      expect(body.find(({ action }) => action === 'device.replace')).toMatchObject({
        target: old.uid,
        details: {
          name: 'old-name',
          by: fresh.uid,
          before: { fingerprint: fingerprintOf(old) },
          after: { fingerprint: fingerprintOf(fresh) },
        },
      })
      expect(fingerprintOf(old)).not.toBe(fingerprintOf(fresh))
    })

    it('announces which device an acceptance would replace, with its fingerprint', async () => {
      const person = await newcomer()
      const stream = await person.client.open(operations.events.stream, {})
      const { old, fresh } = await reinstalled(person)
      const replaces = { uid: old.uid, name: 'old-name', fingerprint: fingerprintOf(old) }
      expect(await get(person, fresh)).toMatchObject({ replaces })
      const { body } = await person.client.call(devices.list, { query: { status: 'pending' } })
      expect(body).toMatchObject([{ uid: fresh.uid, replaces }])
      expect(await get(person, old)).not.toHaveProperty('replaces')
      const other = await server.registerDevice(person.tenant)
      expect(await get(person, other)).not.toHaveProperty('replaces')
      expect(await readUntil(stream, other.uid)).toContain(`"replaces":${JSON.stringify(replaces)}`)
    })

    it('allows a replacement in a full namespace', async () => {
      const person = await newcomer()
      const { fresh } = await reinstalled(person)
      await limit(person.tenant, 1)
      expect(await outcome(setStatus(person, fresh.uid, 'accept'))).toEqual([200, ''])
    })

    it('refuses a replacement while a third device has the name', async () => {
      const person = await newcomer()
      const { old, fresh } = await reinstalled(person)
      await server.acceptedDevice(person, { hostname: 'new-name' })
      expect(await outcome(setStatus(person, fresh.uid, 'accept'))).toEqual([409, 'DEVICE_NAME_TAKEN'])
      expect(await get(person, old)).toMatchObject({ status: 'accepted', name: 'old-name' })
    })

    it('replaces no device of another namespace', async () => {
      const [mine, theirs] = [await newcomer(), await newcomer()]
      const { old } = await reinstalled(theirs)
      const device = await server.acceptedDevice(mine, { identity, hostname: 'mine' })
      expect(await get(mine, device)).toMatchObject({ name: 'mine' })
      expect(await get(theirs, old)).toMatchObject({ status: 'accepted' })
    })

    it('treats devices without a MAC as different devices', async () => {
      const person = await newcomer()
      const first = await server.acceptedDevice(person, { identity: { mac: '' }, hostname: 'one' })
      const second = await server.acceptedDevice(person, { identity: { mac: '' }, hostname: 'two' })
      expect((await get(person, first)).name).toBe('one')
      expect(await get(person, second)).toMatchObject({ name: 'two', identity: null })
    })
  })
})

describe('device limit', () => {
  it('accepts exactly as many devices as the limit allows under fifty concurrent calls', async () => {
    const person = await newcomer()
    await limit(person.tenant, 3)
    const waiting = await Promise.all(Array.from({ length: 50 }, () => server.registerDevice(person.tenant)))
    const outcomes = await Promise.all(waiting.map(({ uid }) => outcome(setStatus(person, uid, 'accept'))))
    expect(outcomes.filter(([status]) => status === 200)).toHaveLength(3)
    expect(outcomes.filter(([, code]) => code === 'DEVICE_LIMIT')).toHaveLength(47)
    const { total } = await person.client.call(devices.list, {})
    expect(total).toBe(3)
  })

  it('names the device limit when refusing and frees a place on removal', async () => {
    const person = await newcomer()
    await limit(person.tenant, 1)
    const first = await server.acceptedDevice(person)
    const second = await server.registerDevice(person.tenant)
    const refused = await setStatus(person, second.uid, 'accept').catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 403, message: expect.stringContaining('device limit of 1.') })
    await person.client.call(devices.remove, { params: { uid: first.uid } })
    expect(await outcome(setStatus(person, second.uid, 'accept'))).toEqual([200, ''])
  })

  it('counts only accepted devices towards the limit', async () => {
    const person = await newcomer()
    await limit(person.tenant, 1)
    const rejected = await server.registerDevice(person.tenant)
    await setStatus(person, rejected.uid, 'reject')
    const device = await server.acceptedDevice(person)
    expect(await get(person, device)).toMatchObject({ status: 'accepted' })
  })

  it('lists pending devices as acceptable only below the device limit', async () => {
    const person = await newcomer()
    await server.acceptedDevice(person)
    await server.registerDevice(person.tenant)
    const acceptable = async () =>
      (await person.client.call(devices.list, { query: { status: '' } })).body.map((device) => [
        device.status,
        device.acceptable,
      ])
    expect(await acceptable()).toEqual([
      ['pending', true],
      ['accepted', false],
    ])
    await limit(person.tenant, 2)
    expect((await acceptable())[0]).toEqual(['pending', true])
    await limit(person.tenant, 1)
    expect((await acceptable())[0]).toEqual(['pending', false])
  })
})

describe('removal of a device', () => {
  it('removes the sessions of a device with it', async () => {
    const person = await newcomer()
    const device = await server.acceptedDevice(person)
    const row = { tenant_id: person.tenant, device_uid: device.uid, username: 'root', type: 'term' as const }
    const uid = SessionUid.parse('6'.repeat(64))
    await server.database
      .system()
      .insertInto('sessions')
      .values({ ...row, uid })
      .execute()
    await person.client.call(devices.remove, { params: { uid: device.uid } })
    expect(await outcome(get(person, device))).toEqual([404, 'NOT_FOUND'])
    expect((await person.client.call(operations.sessions.list, {})).total).toBe(0)
  })

  it('lets a removed device register again as pending', async () => {
    const person = await newcomer()
    const device = await server.acceptedDevice(person)
    await person.client.call(devices.remove, { params: { uid: device.uid } })
    const again = await server.registerDevice(person.tenant, device.body)
    expect(again.uid).toBe(device.uid)
    expect(await get(person, again)).toMatchObject({ status: 'pending' })
  })
})

describe('audit entries of a device', () => {
  it('audits device actions with actor, address and device name', async () => {
    const person = await newcomer()
    const device = await server.registerDevice(person.tenant, { hostname: 'box' })
    for (const word of ['unused', 'pending', 'reject', 'accept'] as const) await setStatus(person, device.uid, word)
    await person.client.call(devices.remove, { params: { uid: device.uid } })
    const rows = await server.database
      .system()
      .selectFrom('audit_log')
      .select(['actor_type', 'actor_id', 'action', 'target', 'ip', 'details'])
      .where('tenant_id', '=', person.tenant)
      .orderBy('id')
      .execute()
    expect(rows.map(({ action }) => action)).toEqual([
      'device.unused',
      'device.pending',
      'device.reject',
      'device.accept',
      'device.remove',
    ])
    const who = { actor_type: 'user', actor_id: person.id, target: device.uid, ip: '127.0.0.1' }
    for (const row of rows) expect(row).toMatchObject({ ...who, details: { name: 'box' } })
  })

  it('writes no audit entry for a refused status change', async () => {
    const person = await newcomer()
    const device = await server.acceptedDevice(person)
    await outcome(setStatus(person, device.uid, 'reject'))
    const log = server.database.system().selectFrom('audit_log').select('action')
    expect(await log.where('tenant_id', '=', person.tenant).execute()).toEqual([{ action: 'device.accept' }])
  })
})
