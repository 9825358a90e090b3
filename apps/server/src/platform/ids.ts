// New identifiers, injected where tests need to know them.
import { randomBytes, randomUUID } from 'node:crypto'
import { TenantId, UserId } from '@bowline/contract/schemas/common'

export interface Ids {
  /** 24 hex digits, as existing clients expect of user ids. */
  user(): UserId
  tenant(): TenantId
  uuid(): string
  /** URL-safe text of `bytes` random bytes. */
  secret(bytes: number): string
}

export const randomIds: Ids = {
  user: () => UserId.parse(randomBytes(12).toString('hex')),
  tenant: () => TenantId.parse(randomUUID()),
  uuid: () => randomUUID(),
  secret: (bytes) => randomBytes(bytes).toString('base64url'),
}
