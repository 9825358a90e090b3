// Settings about the health of devices.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

export const HEALTH_SETTINGS = {
  BOWLINE_HEALTH: {
    programs: ['server', 'agent'],
    schema: z.enum(['on', 'off']).default('on'),
    description:
      'Of an agent: whether it reports load, memory, filesystems and uptime of the device to the server. Of a server: off polls no device and does not keep the round trips of links.',
  },
} as const satisfies Record<string, SettingSpec>
