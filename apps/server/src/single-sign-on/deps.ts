// Dependencies of single sign-on.
import type { TenantId } from '@bowline/contract/schemas/common'
import type { AuthDeps } from '../auth/service.ts'
import type { TenantContext } from '../context.ts'
import type { EgressRules } from '../platform/network/egress.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import type { SamlReader } from './saml/reader.ts'

export interface SingleSignOnDeps extends AuthDeps {
  readonly secretKey: SecretKey
  /** Origin of the console for addresses that providers know. Never taken from a request; known once the server listens. */
  readonly publicOrigin: () => string
  /** Egress rules for addresses that an administrator typed. */
  readonly egress: EgressRules
  readonly samlReader: SamlReader
  readonly contextOf: (tenant: TenantId) => TenantContext
  /** True if a sign-in accepts the invitations of the namespaces' own provisioning. */
  readonly joins: boolean
}

/** Addresses of this server as providers know them. */
export function ownAddresses({ publicOrigin }: Pick<SingleSignOnDeps, 'publicOrigin'>) {
  const here = publicOrigin()
  return {
    entityId: `${here}/api/user/saml/metadata`,
    metadataUrl: `${here}/api/user/saml/metadata`,
    consumerUrl: `${here}/api/user/saml/auth`,
    openidRedirectUrl: `${here}/api/user/openid/callback`,
  }
}
