// The nodes of an installation by the API and the command line: two of them, on one database.
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '../cli/testing.ts'
import { type Person, databaseUrl } from '../testing/boot.ts'
import { type BootedNode, bootNodes } from '../testing/nodes.ts'

let nodes: BootedNode[]
let person: Person
beforeAll(async () => {
  nodes = await bootNodes(2)
  person = await first().setUpAccount()
})
afterAll(async () => {
  for (const node of nodes.toReversed()) await node.close()
})

const first = (): BootedNode => {
  const [node] = nodes
  if (!node) throw new Error('there is no node')
  return node
}
const list = async () => (await person.client.call(operations.nodes.list, {})).body.nodes
const { bowline } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(first().owner),
  BOWLINE_SECRET_KEY: first().secretKey,
  BOWLINE_DATA_DIR: first().dataFolder,
}))

describe('the list of nodes', () => {
  it('has each node with its address and version, and says which of them answers', async () => {
    const found = await list()
    expect(found.map(({ address, state }) => `${address} ${state}`).toSorted()).toEqual(
      nodes.map(({ address }) => `${address} alive`).toSorted(),
    )
    expect(found.filter(({ is_this: isThis }) => isThis).map(({ address }) => address)).toEqual([first().address])
  })

  it('is the same on the command line', async () => {
    const printed = JSON.parse(await bowline('node list --json')) as { nodes: { address: string }[] }
    expect(printed.nodes.map(({ address }) => address).toSorted()).toEqual(
      nodes.map(({ address }) => address).toSorted(),
    )
    expect(await bowline('node list')).toMatch(/^NODE +ADDRESS +VERSION +STATE/)
  })

  it('says of a node that it does not report, and that it is lost', async () => {
    const db = first().database.system()
    const hour = new Date(Date.now() - 3_600_000)
    const row = { id: 'old', life: '00000000-0000-4000-8000-000000000000', version: 'v1', heartbeat_at: hour }
    await db.insertInto('nodes').values(row).execute()
    const stateOfOld = async () => (await list()).find(({ id }) => id === 'old')?.state
    expect(['late', 'lost']).toContain(await stateOfOld())
    await until(async () => (await stateOfOld()) === 'lost', { timeout: 40_000, interval: 250 })
    expect(await stateOfOld()).toBe('lost')
  })
})
