// Changes of provisioning, as the parts of its card send them.
import type { CallInput } from '@bowline/contract/operation'
import type { scim } from '@bowline/contract/operations/scim'
import type { Scim } from '@bowline/contract/schemas/scim'
import type { Action } from '../../core/use-action.ts'

export interface ProvisioningChange {
  readonly body: CallInput<typeof scim.update>['body']
  /** The sentence on success. */
  readonly done: string
}

/** Props of each part of the card. */
export interface ProvisioningProps {
  readonly settings: Scim
  readonly change: Action<ProvisioningChange>
}
