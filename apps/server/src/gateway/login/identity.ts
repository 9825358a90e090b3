// Identity behind a login: account, method and key, as the session's row names them.
import type { UserId } from '@bowline/contract/schemas/common'
import { sha256Fingerprint } from '@bowline/ssh/keys/fingerprint'
import type { TenantContext } from '../../context.ts'
import type { SessionIdentity } from '../../sessions/service.ts'
import type { Credential } from './credential.ts'
import type { FactorCheck, FactorCheckDeps } from './factor-check.ts'

export interface IdentityDeps extends Pick<FactorCheckDeps, 'person' | 'ownerOfKey'> {
  /** E-mail address of an account; '' for an unknown one. */
  readonly addressOf: (id: UserId) => Promise<string>
}

/**
 * Account behind a credential that has proved right: that of a web terminal's page, the owner of a key, or whoever proved
 * the factor of a password. Undefined while nobody knows.
 * @param factor default: no second factor, as none has been asked for yet
 */
export async function personBehind(
  { person, ownerOfKey }: Pick<IdentityDeps, 'person' | 'ownerOfKey'>,
  ctx: TenantContext,
  credential: Credential,
  factor?: Pick<FactorCheck, 'approver'>,
): Promise<UserId | undefined> {
  if (person !== undefined) return person
  const registered = credential.method === 'publickey' ? await ownerOfKey(ctx, credential.blob) : undefined
  return registered?.owner ?? factor?.approver()
}

/**
 * Identity of one credential. A web terminal is its signed-in account's, whatever credential it uses.
 * @param factor default: no second factor, as none has been asked for yet
 */
export async function identify(
  { person, ownerOfKey, addressOf }: IdentityDeps,
  ctx: TenantContext,
  credential: Credential,
  factor?: Pick<FactorCheck, 'provenBy' | 'approver'>,
): Promise<SessionIdentity> {
  const blob = credential.method === 'publickey' ? credential.blob : undefined
  const registered = blob && (await ownerOfKey(ctx, blob))
  const id = person ?? registered?.owner ?? (await factor?.approver())
  return {
    method: credential.method,
    factor: factor?.provenBy,
    person: id && { id, name: await addressOf(id) },
    key: blob && { name: registered?.name ?? '', fingerprint: await sha256Fingerprint(blob) },
  }
}
