// Commands of the pages about the cloud edition, on a server of that edition with the double of the payment provider.
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProviderDouble, startProvider } from '../../apps/server/src/billing/testing/provider-double.ts'
import { type Server, startServer } from '../support/server.ts'
import { runPage, runnablePages } from './runnable.ts'

let provider: ProviderDouble
let server: Server
let environment: Readonly<Record<string, string>>
beforeAll(async () => {
  provider = await startProvider(() => Date.now())
  server = await startServer({ env: provider.settings })
  const client = await server.client()
  const { body } = await client.call(operations.namespaces.create, { body: { name: 'workshop' } })
  const params = { tenant: TenantId.parse(body.tenant_id) }
  const inside = await client.call(operations.auth.switchNamespace, { params })
  environment = {
    ...provider.settings,
    BOWLINE_DATA_DIR: server.dataFolder,
    SERVER: server.origin,
    TENANT: params.tenant,
    TOKEN: inside.body.token,
  }
})
afterAll(async () => {
  await server.remove()
  await provider.close()
})

describe('commands about the cloud edition', async () => {
  const pages = (await runnablePages()).filter(({ needs }) => needs.has('cloud'))

  it.each(pages.map((page) => [page.page, page] as const))('runs the commands of %s', async (_, page) => {
    expect((await runPage(page, environment)).stderr).toBe('')
  })

  it('shows what the page about billing prints', async () => {
    expect(pages.map(({ page }) => page)).toEqual(['overview/getting-started/cloud.mdx', 'self-hosted/billing.md'])
    const script = 'bowline billing status'
    const { stdout } = await runPage({ page: '', script, needs: new Set() }, environment)
    expect(stdout.trim().split('\n').slice(0, 4)).toEqual([
      'Provider: stripe',
      'Events to apply: 0',
      'Subscriptions to end: 0',
      'Failed at least once: 0',
    ])
  })
})
