// Settings with which a device finds its namespace.
import * as z from 'zod'
import { INSTALL_KEY } from '../schemas/fleet/install-key.ts'
import type { SettingSpec } from './spec.ts'

const agent = ['agent'] as const

export const ENROLMENT_SETTINGS = {
  BOWLINE_TENANT_ID: {
    programs: agent,
    schema: z
      .string()
      .regex(/^[0-9a-fA-F-]{36}$/, 'must be the UUID of a namespace')
      .optional(),
    description:
      'Namespace in which the device registers. Without one the agent shows a code in its log, by which a member adds the device, and keeps the namespace beside its key.',
  },
  BOWLINE_INSTALL_KEY: {
    programs: agent,
    schema: z
      .string()
      .regex(INSTALL_KEY, 'must be an install key of the namespace: ik- and 26 letters or digits')
      .optional(),
    description: 'Install key of the namespace: tags a new device, and accepts it if the key says so.',
    secret: true,
  },
} as const satisfies Record<string, SettingSpec>
