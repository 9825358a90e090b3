// Settings of tunnels.
import * as z from 'zod'
import { port } from './numbers.ts'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const

export const TUNNEL_SETTINGS = {
  BOWLINE_TUNNELS_DOMAIN: {
    programs: server,
    schema: z.string().min(1).optional(),
    description:
      'Domain under which tunnels are reached, by a wildcard DNS record. It must not be above the name of the console, and should share no registered domain with it: see Deploying.',
  },
  BOWLINE_TUNNELS_TLS_PORT: {
    programs: server,
    schema: port.optional(),
    description:
      'Port of TCP tunnels: TLS connections are passed on to the tunnel that their server name (SNI) has, without being decrypted. Needs BOWLINE_TUNNELS_DOMAIN; without it there are no TCP tunnels.',
  },
} as const satisfies Record<string, SettingSpec>
