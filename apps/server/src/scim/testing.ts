// An identity provider in tests: a namespace with provisioning switched on, and requests over real HTTP.
import { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { BootedServer, Person } from '../testing/boot.ts'
import { saveSettings } from './store.ts'

export interface ScimAnswer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  readonly body: any
}

export interface TestProvider {
  readonly owner: Person
  readonly token: string
  readonly tokenId: string
  /** Sends a request of the protocol; an object becomes JSON. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ScimAnswer>
}

/** Switches provisioning on in a person's namespace and makes a token. */
export async function startProvider(server: BootedServer, owner: Person): Promise<TestProvider> {
  const params = { tenant: owner.tenant }
  await owner.client.call(operations.scim.update, { params, body: { enabled: true } })
  const { body } = await owner.client.call(operations.scim.createToken, { params, body: { name: 'Entra ID' } })
  return {
    owner,
    token: body.token,
    tokenId: body.id,
    send: (method, path, content, headers) =>
      sendScim(server, owner.tenant, body.token, { method, path, content, headers }),
  }
}

/** Lets sign-ins make people members, as `bowline scim trust` does. */
export async function trustProvider(server: BootedServer, { owner: { tenant } }: TestProvider): Promise<void> {
  await saveSettings(server.database.system(), tenant, { joins_at_sign_in: true })
}

export async function sendScim(
  server: Pick<BootedServer, 'fetch'>,
  tenant: TenantId | string,
  token: string,
  request: {
    readonly method: string
    readonly path: string
    readonly content?: unknown
    readonly headers?: Readonly<Record<string, string>> | undefined
  },
): Promise<ScimAnswer> {
  const { method, path, content, headers = {} } = request
  const isText = typeof content === 'string'
  const response = await server.fetch(`/api/scim/v2/${tenant}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(content === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
      ...headers,
    },
    ...(content === undefined ? {} : { body: isText ? content : JSON.stringify(content) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}
