// The settings of accounts: who may create one, and how long guessing locks one.
import * as z from 'zod'
import { whole } from './numbers.ts'
import type { SettingSpec } from './spec.ts'

export const REGISTRATION_MODES = ['closed', 'invited', 'open'] as const
export type RegistrationMode = (typeof REGISTRATION_MODES)[number]

export const REGISTRATION_SETTINGS = {
  BOWLINE_REGISTRATION: {
    programs: ['server'],
    schema: z.enum(REGISTRATION_MODES).optional(),
    description:
      'Who may create an account for themselves: open: everybody who proves an e-mail address; invited: people with the link of an invitation; closed: nobody. Default: open in the cloud edition, closed in the others.',
  },
  BOWLINE_MAXIMUM_ACCOUNT_LOCKOUT: {
    programs: ['server'],
    schema: whole(0, 1_440).default(60),
    description: 'Longest lockout after failed sign-ins, in minutes; 0 switches lockout off.',
  },
} as const satisfies Record<string, SettingSpec>

/** People who may register with these settings. */
export function registrationMode(settings: {
  readonly BOWLINE_REGISTRATION?: RegistrationMode | undefined
  readonly BOWLINE_EDITION: 'community' | 'enterprise' | 'cloud'
}): RegistrationMode {
  return settings.BOWLINE_REGISTRATION ?? (settings.BOWLINE_EDITION === 'cloud' ? 'open' : 'closed')
}
