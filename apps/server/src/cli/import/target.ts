// The namespace that an import goes into. Devices keep their uid, and come back without being touched, only in a namespace
// with the id that they send.
import { ConfigError } from '@bowline/contract/config'
import { ApiError, createClient } from '@bowline/contract/client'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { type Role, rank } from '@bowline/contract/roles'
import { TenantId } from '@bowline/contract/schemas/common'
import { type Namespace, NamespaceName } from '@bowline/contract/schemas/namespace'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { type ServerClient } from '../client/client.ts'
import { currentSignIn } from '../client/login.ts'
import type { Terminal } from '../terminal.ts'
import type { OldNamespace } from './file.ts'

/** A token of a program lives ten minutes. */
const RENEWED_AFTER_MS = 240_000

export interface TargetOptions {
  /** Create the namespace if there is none with that id. */
  readonly create: boolean
  /** Import into the namespace of the sign-in, although its id is another. */
  readonly newId: boolean
  readonly isDryRun: boolean
}

export interface Target {
  readonly namespace: { readonly name: string; readonly tenant_id: TenantId }
  /** Calls in the namespace; undefined in the dry run of one that does not exist yet. */
  readonly call: ServerClient['call'] | undefined
  /** Whoever imports. */
  readonly person: Pick<UserAuth, 'email' | 'instance_admin'>
}

/**
 * @throws {ConfigError} when no namespace has the old id and nothing says what to do, or the role is not enough
 * @throws {ApiError} when the namespace cannot be created
 */
export async function openTarget(terminal: Terminal, old: OldNamespace, options: TargetOptions): Promise<Target> {
  const { server, person } = await currentSignIn(terminal)
  const client = createClient({ origin: server, token: () => person.token })
  const found = await namespaceWith(client, old.tenant_id)
  if (found) return { namespace: found, call: await callsIn(terminal, found.tenant_id), person }
  if (options.newId) {
    const own = TenantId.safeParse(person.tenant)
    if (!own.success) throw new ConfigError(['You belong to no namespace.'])
    const { body } = await client.call(operations.namespaces.get, { params: { tenant: own.data } })
    return { namespace: body, call: await callsIn(terminal, body.tenant_id), person }
  }
  if (!options.create) {
    throw new ConfigError([
      `You are in no namespace with the id ${old.tenant_id}, which the agents of ${old.name} send.`,
      'Use --create for a new namespace with that id: its devices come back without being touched.',
      'Use --new-id for the namespace that you are signed in to: then every agent has to be given its id.',
    ])
  }
  const name = NamespaceName.safeParse(old.name)
  if (!name.success) {
    throw new ConfigError([
      `The name ${old.name} is refused here: create a namespace with the id ${old.tenant_id} first.`,
    ])
  }
  const planned = { name: name.data, tenant_id: old.tenant_id }
  if (options.isDryRun) return { namespace: planned, call: undefined, person }
  const body = { name: name.data, tenant: old.tenant_id, type: 'team' as const }
  await client.call(operations.namespaces.create, { body }).catch(explain(old))
  return { namespace: planned, call: await callsIn(terminal, old.tenant_id), person }
}

async function namespaceWith({ call }: ServerClient, tenant: TenantId): Promise<Namespace | undefined> {
  for (let page = 1; ; page += 1) {
    const query = { page: String(page), per_page: String(LIMITS.perPage.max) }
    const { body } = await call(operations.namespaces.list, { query })
    const found = body.find((namespace) => namespace.tenant_id === tenant)
    if (found || body.length < LIMITS.perPage.max) return found
  }
}

/** Calls with a token of the namespace, which is renewed. @throws {ConfigError} unless the person administers it */
async function callsIn(terminal: Terminal, tenant: TenantId): Promise<ServerClient['call']> {
  let client = await open()
  let openedAt = performance.now()
  return async (operation, input) => {
    if (performance.now() - openedAt > RENEWED_AFTER_MS) {
      client = await open()
      openedAt = performance.now()
    }
    return client.call(operation, input)
  }

  async function open(): Promise<ServerClient> {
    const { server, person } = await currentSignIn(terminal)
    const any = createClient({ origin: server, token: () => person.token })
    const { body } = await any.call(operations.auth.switchNamespace, { params: { tenant } })
    if (rank(body.role as Role) < rank('administrator')) {
      throw new ConfigError([`Owners and administrators of the namespace import; your role is ${body.role}.`])
    }
    return createClient({ origin: server, token: () => body.token })
  }
}

/** @throws {Error} what the server answered, in words for a command line */
function explain({ name, tenant_id: tenant }: OldNamespace): (error: unknown) => never {
  return (error) => {
    if (error instanceof ApiError && error.code === 'CONFLICT') {
      const what = error.fields.includes('tenant') ? `the id ${tenant}` : `the name ${name}`
      throw new Error(
        `Another namespace of this server has ${what}; its owner, or an administrator of the server, can tell.`,
      )
    }
    throw error
  }
}
