// Members of the namespace, as people name them on the command line: by their address.
import { ConfigError } from '@bowline/contract/config'
import { operations } from '@bowline/contract/operations'
import { TenantId, type UserId } from '@bowline/contract/schemas/common'
import type { Member } from '@bowline/contract/schemas/namespace'
import type { Terminal } from '../terminal.ts'
import type { ServerClient } from './client.ts'
import { currentSignIn } from './login.ts'

/** @throws {ConfigError} without a namespace */
export async function membersOf(terminal: Terminal, { call }: ServerClient): Promise<readonly Member[]> {
  const tenant = TenantId.safeParse((await currentSignIn(terminal)).person.tenant)
  if (!tenant.success) throw new ConfigError(['You belong to no namespace.'])
  return (await call(operations.namespaces.get, { params: { tenant: tenant.data } })).body.members
}

/** @throws {Error} when nobody has the address */
export function memberNamed(members: readonly Member[], address: string): UserId {
  const found = members.find(({ email }) => email.toLowerCase() === address.toLowerCase())
  if (!found) throw new Error(`The namespace has no member with the address ${address}.`)
  return found.id
}
