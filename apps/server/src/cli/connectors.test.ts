// Connectors from the command line, beside a running server that follows them.
import { answered, startHostileEngine } from '@bowline/engine/testing/hostile-engine'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../testing/boot.ts'
import { commandLine } from './testing.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32',
}))

it('adds, switches off and removes a connector, and the running server follows', async () => {
  const engine = await startHostileEngine((_, socket) => socket.end(answered('503 Busy', '{"message":"starting"}')))
  onTestFinished(() => engine.close())
  const { namespace } = person
  const uid = await bowline(`connector add ${namespace} 127.0.0.1 ${engine.port}`)
  await until(async () => (await bowline(`connector list ${namespace}`)).includes('status 503: starting.'), 15_000)
  expect(await bowline(`connector list ${namespace}`)).toContain(
    `${uid}  127.0.0.1:${engine.port}  no   disconnected: the engine answered with status 503: starting.`,
  )
  expect(await bowline(`connector disable ${namespace} ${uid}`)).toBe(`Disabled ${uid}.`)
  expect(await bowline(`connector list ${namespace}`)).toMatch(/no {3}off$/)
  expect(await bowline(`connector enable ${namespace} ${uid}`)).toBe(`Enabled ${uid}.`)
  expect(await bowline(`connector remove ${namespace} ${uid}`)).toBe(`Removed ${uid}.`)
  expect(await json(`connector list ${namespace}`)).toEqual([])
})

it('adds the engine of a device, and none of a device that is not there', async () => {
  const { uid: device, name } = await server.acceptedDevice(person)
  const uid = await bowline(`connector add ${person.namespace} --device ${device}`)
  expect(await bowline(`connector list ${person.namespace}`)).toContain(`${uid}  on the device ${name}`)
  await bowline(`connector remove ${person.namespace} ${uid}`)
  const add = (rest: string) => refusal(`connector add ${person.namespace} ${rest}`)
  expect((await add(`--device ${'0'.repeat(64)}`))[1]).toContain('must be an accepted device of the namespace')
  expect((await add(`127.0.0.1 2375 --device ${device}`))[1]).toContain('must be left out when device is set')
  expect((await refusal(`connector add ${person.namespace}`))[1]).toContain('is required')
})

it('names what is wrong with a connector', async () => {
  const add = (rest: string) => refusal(`connector add ${person.namespace} ${rest}`)
  expect(await add('127.0.0.1 2376 --ca /etc/hostname')).toEqual([
    2,
    'bowline: TLS needs all of --ca, --cert and --key.',
  ])
  expect(await add('127.0.0.1 99999')).toEqual([2, 'bowline: port must be 0 to 65535.'])
  expect((await add('169.254.169.254 2375'))[1]).toContain('169.254.169.254 is not allowed')
  expect(await refusal(`connector remove ${person.namespace} lab`)).toEqual([
    2,
    'bowline: The connector must be its uid, as `bowline connector list` shows it.',
  ])
})
