// Host keys of devices without an agent from the command line, beside a running server.
import { operations } from '@bowline/contract/operations'
import { ScratchFolder, run } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectDevice, installKeyOf, onlineDevice, ownKey } from '../../gateway/bridges/enrolled/testing.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let person: Person
const folders = [new ScratchFolder(), new ScratchFolder()] as const
const sshds: RealServer[] = []
beforeAll(async () => {
  for (const scratch of folders) {
    const started = await serverKinds[0]?.start({ scratch, authorizedKey: `${scratch.key('rsa', 2_048)}.pub` })
    if (started) sshds.push(started)
  }
  server = await bootServer()
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  for (const sshd of sshds) await sshd[Symbol.asyncDispose]()
  for (const folder of folders) folder[Symbol.dispose]()
})

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
}))

it('shows the host key that a device presents, and accepts that one only', async () => {
  const fingerprintOf = async (folder: ScratchFolder) =>
    (await run('ssh-keygen', ['-l', '-f', `${folder.key('ed25519')}.pub`])).stdout.toString().split(' ')[1] ?? ''
  const [before, after] = [await fingerprintOf(folders[0]), await fingerprintOf(folders[1])]
  const key = ownKey(folders[0])
  const user = `${await installKeyOf(person)}.router`
  const connectTo = (index: number) => connectDevice(server, user, { port: sshds[index]?.port ?? 0, key })
  const client = connectTo(0)
  await onlineDevice(person, 'router')
  client.stop()
  await client.ended
  const named = `${person.namespace} router`
  expect(await bowline(`device host-key ${named}`)).toBe(`accepted: ${before} ssh-ed25519`)
  const refused = connectTo(1)
  await refused.ended
  expect(refused.said()).toContain(`bowline device accept-host-key ${person.namespace} router FINGERPRINT`)
  expect(refused.said()).toContain(`it is  ${after} (ED25519)`)
  expect(await bowline(`device host-key ${named}`)).toMatch(/^accepted: .*\npresented since \S+: \S+ ssh-ed25519$/)
  const third = `SHA256:${'A'.repeat(43)}`
  expect(await refusal(`device accept-host-key ${named} ${third}`)).toEqual([
    1,
    'bowline: The device does not present this host key now; look at the one that it presents, and accept that.',
  ])
  expect((await refusal(`device accept-host-key ${named} key`))[1]).toContain('fingerprint: must be as ssh-keygen -l')
  expect(await bowline(`device accept-host-key ${named} ${after}`)).toContain(`router has the host key ${after} now.`)
  expect(await json(`device host-key ${named}`)).toMatchObject({ fingerprint: after, presented: null })
  const renewed = connectTo(1)
  await until(() => renewed.said().includes('connected as router'))
})

it('shows what SSH servers are to trust, as the API does', async () => {
  const { body } = await person.client.call(operations.devices.userAuthority, {})
  expect(await json(`device authority ${person.namespace}`)).toEqual(body)
  expect(await bowline(`device authority ${person.namespace}`)).toContain(body.openssh.commands.join('\n'))
})

it('names devices that have no such key', async () => {
  const { uid } = await server.acceptedDevice(person)
  const missing = (what: string) => [1, `bowline: ${what} was not found.`]
  const named = `device host-key ${person.namespace}`
  expect(await refusal(`${named} ${uid}`)).toEqual(missing('The host key of a device without an agent'))
  expect(await refusal(`${named} nothing`)).toEqual(missing('The accepted device nothing'))
})
