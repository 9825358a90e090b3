// Dependencies of the second factor.
import type { AuthDeps } from '../auth/service.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'

export interface MfaDeps extends AuthDeps {
  /** Seals the secrets of authenticators. */
  readonly secretKey: SecretKey
  /** Secret of the instance that codes are hashed with. */
  readonly codeKey: string
  readonly mails: MailQueue
  readonly edition: 'community' | 'enterprise' | 'cloud'
  /** True for sources whose guesses are limited per account only. */
  readonly isExemptSource: (address: string) => boolean
}
