// Tunnels from the command line, beside a running server.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../testing/boot.ts'
import { commandLine } from './testing.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_TUNNELS_DOMAIN: 'tunnels.example' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_TUNNELS_DOMAIN: 'tunnels.example',
  BOWLINE_PUBLIC_URL: 'https://console.example',
  BOWLINE_TUNNELS_TLS_PORT: '8443',
}))

it('creates, lists and removes a tunnel, at the address that the API gives it', async () => {
  const { uid } = await server.acceptedDevice(person)
  const url = await bowline(`tunnel create ${person.namespace} ${uid} 127.0.0.1 8080`)
  expect(url).toMatch(/^https:\/\/[0-9a-f]{32}\.tunnels\.example$/)
  const body = { host: '127.0.0.1', port: 8_080, ttl: -1 }
  const { body: same } = await person.client.call(operations.tunnels.create, { params: { uid }, body })
  expect([url, same.door]).toEqual([`https://${same.full_address}`, 'namespace'])
  expect(await bowline(`tunnel list ${person.namespace} ${uid}`)).toContain(`${url}  127.0.0.1 8080  namespace  never`)
  await bowline(`tunnel remove ${person.namespace} ${uid} ${same.address}`)
  expect(await json(`tunnel list ${person.namespace} ${uid}`)).toEqual([])
})

it('creates TCP tunnels, which have no door', async () => {
  const { uid } = await server.acceptedDevice(person)
  const create = `tunnel create ${person.namespace} ${uid} 127.0.0.1 5432 --protocol tcp`
  expect(await bowline(create)).toMatch(/^tls:\/\/[0-9a-f]{32}\.tunnels\.example:8443$/)
  expect(await json(`tunnel list ${person.namespace} ${uid}`)).toMatchObject([{ protocol: 'tcp', door: 'none' }])
  expect((await refusal(`${create} --door namespace`))[1]).toContain('door: must be none for a TCP tunnel')
  expect(await refusal(`${create} --protocol udp`)).toEqual([2, 'bowline: protocol must be http or tcp.'])
})

it('takes the password of a door from stdin', async () => {
  const { uid } = await server.acceptedDevice(person)
  await bowline(`tunnel create ${person.namespace} ${uid} ::1 80 --door password --password -`, 'open sesame\n')
  expect(await json(`tunnel list ${person.namespace} ${uid}`)).toMatchObject([{ host: '::1', door: 'password' }])
})

it('names wrong arguments', async () => {
  const { uid } = await server.acceptedDevice(person)
  const create = (rest: string) => refusal(`tunnel create ${person.namespace} ${rest}`)
  expect(await create(`${uid} localhost 80`)).toEqual([2, 'bowline: host must be an IP address.'])
  expect(await create(`${uid} 127.0.0.1 0`)).toEqual([2, 'bowline: port must be 1 to 65535.'])
  expect(await create(`${uid} 127.0.0.1 80 --door open`)).toEqual([
    2,
    'bowline: door must be none, namespace or password.',
  ])
  expect(await create('web 127.0.0.1 80')).toEqual([2, 'bowline: The device must be its uid: 64 hex digits.'])
})
