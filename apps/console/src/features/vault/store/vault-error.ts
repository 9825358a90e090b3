// Why the vault could not do something: a stable reason, and its sentence for people as the message.
import { vaultErrors } from '../messages.ts'

export type VaultReason = keyof typeof vaultErrors

export class VaultError extends Error {
  override readonly name = 'VaultError'
  readonly reason: VaultReason

  constructor(reason: VaultReason, options?: ErrorOptions) {
    super(vaultErrors[reason], options)
    this.reason = reason
  }
}
