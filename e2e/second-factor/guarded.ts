// A namespace that asks for a second factor on the ssh path, with one device and fresh keys of its owner.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import { type Agent, startAgent } from '../support/agent.ts'
import { registerKey } from '../support/registered-key.ts'
import { type Client, startServer } from '../support/server.ts'

export interface Guarded {
  readonly agent: Agent
  /** The owner's. */
  readonly client: Client
  /** For files of the test; removed with the rest. */
  readonly folder: string
  /** Registers a key that has opened nothing yet. @returns the file of its private half */
  newKey(): Promise<string>
  /** Logins that wait for approval. */
  waiting(): Promise<readonly { readonly code: string }[]>
  remove(): Promise<void>
}

export async function startGuarded(): Promise<Guarded> {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-factor-'))
  const server = await startServer()
  const agent = await startAgent(server, 'guarded')
  const client = await server.client()
  const params = { tenant: TenantId.parse(server.tenant) }
  await client.call(operations.namespaces.update, { params, body: { settings: { ssh_second_factor: true } } })
  let keys = 0
  return {
    agent,
    client,
    folder,
    async newKey() {
      keys += 1
      const file = join(folder, `key-${keys}`)
      await registerKey(client, file, `key ${keys}`)
      return file
    },
    waiting: async () => (await client.call(operations.heldLogins.list, {})).body,
    async remove() {
      await agent.remove()
      await server.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
