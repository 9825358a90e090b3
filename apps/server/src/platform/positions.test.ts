import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { testContext } from '../testing/context.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { openSession } from '../sessions/service.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type Locate, type Place, openPositions } from './positions.ts'
import { mmdbFile } from '../testing/mmdb.ts'

const LISBON = { latitude: 38.72, longitude: -9.14 }
const SUVA = { latitude: -18.14, longitude: 178.44 }
const LISBON_NAMED = { ...LISBON, city: 'Lisbon', country: 'Portugal' }
const SUVA_NAMED = { ...SUVA, country: 'Fiji' }
const NOWHERE = { latitude: 0, longitude: 0 }
let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-mmdb-'))
  file = join(folder, 'city.mmdb')
  await writeFile(file, mmdbFile({ '203.0.113.0/24': LISBON_NAMED, '198.51.100.7/32': SUVA_NAMED }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('address positions', () => {
  let locate: Locate
  let place: Place
  beforeAll(async () => {
    ;({ locate, place } = await openPositions(file))
  })

  it.each([
    ['203.0.113.9', LISBON],
    ['203.0.113.255', LISBON],
    ['203.0.114.0', NOWHERE],
    ['198.51.100.7', SUVA],
    ['198.51.100.6', NOWHERE],
    ['::1', NOWHERE],
    ['2001:db8::1', NOWHERE],
    ['', NOWHERE],
    ['nonsense', NOWHERE],
  ])('locates %s', (address, position) => {
    expect(locate(address)).toEqual(position)
  })

  it.each([
    ['203.0.113.9', 'Lisbon, Portugal'],
    ['198.51.100.7', 'Fiji'],
    ['2001:db8::1', ''],
    ['nonsense', ''],
  ])('names the place of %s', (address, name) => {
    expect(place(address)).toBe(name)
  })

  it('returns finite coordinates for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (address) => {
        expect(Object.values(locate(address)).every((degrees) => Number.isFinite(degrees))).toBe(true)
      }),
    )
  })
})

describe('BOWLINE_GEOIP_FILE', () => {
  const config = (path: string) =>
    readConfig({ BOWLINE_DATA_DIR: folder, BOWLINE_SECRET_KEY: 'a'.repeat(64), BOWLINE_GEOIP_FILE: path })

  it('prevents startup when BOWLINE_GEOIP_FILE is missing or no MMDB file', async () => {
    await expect(config(join(folder, 'missing'))).rejects.toThrow(/^BOWLINE_GEOIP_FILE: .*missing cannot be read/)
    const other = join(folder, 'other')
    await writeFile(other, 'no database at all')
    await expect(config(other)).rejects.toThrow(/^BOWLINE_GEOIP_FILE: .*other cannot be read as an MMDB file/)
  })
})

describe('positions of devices and sessions', () => {
  let server: BootedServer
  let ada: Person
  beforeAll(async () => {
    server = await bootServer({ settings: { BOWLINE_GEOIP_FILE: file, BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
    ada = await server.setUpAccount()
  })
  afterAll(() => server.close())

  async function register(body: object, address: string) {
    const response = await server.fetch('/api/devices/auth', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
  }

  it('locates a device by its address and again when it moves', async () => {
    const device = await server.registerDevice(ada.tenant)
    const get = async () => {
      const { body } = await ada.client.call(operations.devices.get, { params: { uid: device.uid } })
      return [body.remote_addr, body.position]
    }
    expect(await get()).toEqual(['127.0.0.1', NOWHERE])
    await register(device.body, '203.0.113.9')
    expect(await get()).toEqual(['203.0.113.9', LISBON])
    await register(device.body, '198.51.100.7')
    expect(await get()).toEqual(['198.51.100.7', SUVA])
  })

  it('locates a session by the client’s address', async () => {
    const device = await server.acceptedDevice(ada)
    const uid = SessionUid.parse('b'.repeat(64))
    const ctx = testContext(server.database, ada.tenant, { locate: (await openPositions(file)).locate })
    const opened = {
      uid,
      device: device.uid,
      username: 'root',
      address: '198.51.100.7',
      type: 'term' as const,
      node: '',
      identity: { person: undefined, method: 'password' as const, factor: undefined, key: undefined },
    }
    await openSession(ctx, opened)
    const { body } = await ada.client.call(operations.sessions.get, { params: { uid } })
    expect(body.position).toEqual(SUVA)
  })
})
