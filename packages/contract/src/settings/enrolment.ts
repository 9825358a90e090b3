// Settings with which a device finds its namespace, and its updates.
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
    description: 'Install key of the namespace: tags a new device, and accepts it if the key allows it.',
    secret: true,
  },
  BOWLINE_AGENTS_DIR: {
    programs: ['server'],
    schema: z.string().min(1).optional(),
    description:
      'Folder with the archives of the agent that the server hands out, and their signed manifest. Default: those that it came with.',
  },
  BOWLINE_UPDATE_KEY: {
    programs: agent,
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be an Ed25519 public key: 32 bytes, base64url')
      .optional(),
    description:
      'Key by which updates of the agent must be signed; the install command sets it to that of the release. Without one the agent does not update by itself.',
  },
} as const satisfies Record<string, SettingSpec>
