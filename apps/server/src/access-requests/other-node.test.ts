// Approved access over two nodes: decided at one, while the session is at the other.
import { ed25519Key } from '@bowline/ssh/testing/user-key'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '@bowline/contract/operations'
import { answerOf, registerKey, signing } from '../held-logins/testing.ts'
import type { Person } from '../testing/boot.ts'
import { fakeDevice } from '../testing/gateway.ts'
import { type BootedNode, bootNodes } from '../testing/nodes.ts'
import { addRule, approve, ask, end, memberOf, signedInTo } from './testing.ts'

let nodes: BootedNode[]
let near: BootedNode
let far: BootedNode
let owner: Person
beforeAll(async () => {
  nodes = await bootNodes(2)
  const [first, second] = nodes
  if (!first || !second) throw new Error('two nodes were to start')
  near = first
  far = second
  owner = await near.setUpAccount()
})
// The first one has the database of all.
afterAll(async () => {
  for (const node of nodes.toReversed()) await node.close()
})

it('ends a session at another node than the one where the access is ended', async () => {
  const device = await fakeDevice(near, owner)
  const member = await memberOf(near, owner, 'operator')
  const key = ed25519Key()
  await registerKey(owner, key, member.person.id)
  await addRule(owner)
  const request = await ask(await signedInTo(far, owner, member.person), { device: device.device.uid })
  const { body } = await owner.client.call(operations.auth.switchNamespace, { params: { tenant: owner.tenant } })
  const elsewhere = far.client(body.token)
  await approve(elsewhere, request)
  const login = () => signing(near, device.login('root'), key)
  expect((await answerOf(await login())).kind).toBe('success')
  await end(elsewhere, request)
  const closed = async () => (await owner.client.call(operations.sessions.list, {})).body.find((row) => row.closed)
  expect(await until(closed)).toMatchObject({ authenticated: true, closed: { by: 'policy', reason: 'access-ended' } })
  expect((await answerOf(await login())).text).toContain('access to this device is refused')
})
