// `bowline namespace delete`, `restore` and `delete --now` beside a running server.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailsTo } from '../../mails/testing/outbox.ts'
import { type BootedServer, bootServer, databaseUrl, outcome } from '../../testing/boot.ts'
import { fakeDevice } from '../../testing/gateway.ts'
import { commandLine } from '../testing.ts'

const { devices, namespaces } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_DATA_DIR: server.dataFolder,
}))

it('closes a namespace with what runs in it, tells its owner, and restores it', async () => {
  const person = await server.addPerson('olga')
  const device = await fakeDevice(server, person)
  expect(await bowline(`namespace delete ${person.namespace}`)).toMatch(
    /^Deleted the namespace olga-home\. Everything of it is kept until \S+Z\.\nbowline namespace restore olga-home undoes it\.$/,
  )
  expect(await device.ended).toMatchObject({ reason: 'namespace-removed' })
  expect(await mailsTo(server, 'olga@example.com', 'namespace-deleted')).toHaveLength(1)
  expect(await outcome(person.client.call(devices.list, {}))).toBe('401 UNAUTHORIZED')
  expect(await json('namespace list --deleted --search OLGA')).toMatchObject([
    { tenant_id: person.tenant, name: 'olga-home', owner: { username: 'olga' } },
  ])
  expect(await bowline('namespace list --deleted')).toMatch(
    /^NAME +TENANT ID +OWNER +DELETED +REMOVED FOR GOOD\nolga-home /,
  )
  expect(await bowline('namespace list')).not.toContain('olga-home')
  expect((await refusal(`namespace delete ${person.namespace}`))[1]).toContain('The namespace olga-home')
  expect(await json(`namespace restore ${person.namespace}`)).toEqual({ tenant_id: person.tenant, name: 'olga-home' })
  expect(await outcome(person.client.call(devices.list, {}))).toBe('200')
  expect(await json('namespace list --deleted')).toEqual([])
  expect((await refusal(`namespace restore ${person.namespace}`))[1]).toContain('The deleted namespace olga-home')
})

it.each(['open', 'deleted'])('removes an %s namespace for good with --now', async (state) => {
  const person = await server.addPerson(`of-${state}`)
  if (state === 'deleted') await person.client.call(namespaces.remove, { params: { tenant: person.tenant } })
  expect(await bowline(`namespace delete ${person.namespace} --now`)).toBe(
    `Removed the namespace ${person.namespace} for good.`,
  )
  expect((await refusal(`namespace restore ${person.namespace}`))[0]).not.toBe(0)
  const log = server.database.system().selectFrom('audit_log').select('action').where('tenant_id', '=', person.tenant)
  expect((await log.orderBy('id').execute()).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['namespace.remove', 'namespace.purge']),
  )
})
