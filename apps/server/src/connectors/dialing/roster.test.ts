// Containers of an engine that reports more of them than can become devices.
import type { Container, Engine } from '@bowline/engine/client'
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testContext } from '../../testing/context.ts'
import { type BootedServer, bootServer } from '../../testing/boot.ts'
import { Roster } from './roster.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

it('asks the database about no more containers than may become devices, however many are refused', async () => {
  const { tenant } = await server.addPerson('flooded')
  let asked = 0
  // A double of a namespace in which too many devices of the engine are pending: each registration is refused.
  const db = server.database.forTenant(tenant).withPlugin({
    transformQuery() {
      asked += 1
      return fail('TOO_MANY_REQUESTS', { seconds: 60 })
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const engine = {} as Engine
  const roster = new Roster({
    connector: 'connector',
    ctx: { ...testContext(server.database, tenant), db },
    engine,
    sessions: engine,
    about: { engineVersion: '1', arch: 'x' },
    links: { add: () => ({ closed: () => undefined }) },
  })
  const listed: Container[] = Array.from({ length: 20_000 }, (_, n) => ({
    id: n.toString(16).padStart(64, '0'),
    name: `c${n}`,
    image: 'image',
    isRunning: true,
  }))
  expect(await roster.compare(listed)).toBe(listed.length)
  expect(asked).toBe(LIMITS.containersPerConnector)
})
