// Settings about the health of devices.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

export const HEALTH_SETTINGS = {
  BOWLINE_HEALTH: {
    programs: ['server', 'agent'],
    schema: z.enum(['on', 'off']).default('on'),
    description:
      'Of an agent: on tells the server how busy the device’s processors are, how full its memory and filesystems, and since when it runs; off tells nothing of it. Of a server: off asks no device, and keeps no times of connections either.',
  },
} as const satisfies Record<string, SettingSpec>
