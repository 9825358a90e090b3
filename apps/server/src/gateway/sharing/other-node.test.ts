// The browser of somebody who joins reaches another node than the one that has the session.
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Person } from '../../testing/boot.ts'
import { fakeDevice } from '../../testing/gateway.ts'
import { type BootedNode, bootNodes } from '../../testing/nodes.ts'
import { readyPage, resumedPage } from '../web/testing.ts'
import { admitNext, askingPage, memberOf } from './testing.ts'

let nodes: BootedNode[]
let near: BootedNode
let far: BootedNode
let ada: Person
let ben: Person
beforeAll(async () => {
  nodes = await bootNodes(2)
  const [first, second] = nodes
  if (!first || !second) throw new Error('two nodes were to start')
  near = first
  far = second
  ada = await near.setUpAccount()
  ben = await memberOf(near, ada, 'ben', 'observer')
})
// The first one has the database of all.
afterAll(async () => {
  for (const node of nodes.toReversed()) await node.close()
})

it('carries joining, what is typed, and a resumption there', async () => {
  const device = await fakeDevice(near, ada)
  const { page: owner, session } = await readyPage(near, ada, device.device.uid)
  // The greeting is the owner's alone.
  await until(() => owner.output().length > 0)
  const guest = await askingPage(near, ben, session, { at: far })
  await guest.next('asking')
  await admitNext(owner)
  expect(await guest.next('joined')).toMatchObject({ session })
  const { token } = await guest.next('ready')
  guest.data(0, 'from afar')
  await until(() => owner.output().toString().endsWith('from afar'))
  await until(() => guest.output().toString() === 'from afar')
  guest.socket.terminate()
  owner.data(0, ', and near')
  const back = await resumedPage(far, token, guest.output())
  await until(() => back.output().toString() === 'from afar, and near')
  owner.say({ type: 'bye' })
  expect(await back.next('ended')).toMatchObject({ reason: 'join-over' })
})
