// Settings of an installation of several nodes. Without BOWLINE_NODE_ADDRESS a server runs by itself.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'
import { port } from './numbers.ts'

const server = ['server'] as const

/** Host names, IPv4 and bracketed IPv6 addresses, each with a port. */
const ADDRESS = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\]):(?<port>[1-9]\d{0,4})$/i

export const NODE_SETTINGS = {
  BOWLINE_NODE_ADDRESS: {
    programs: server,
    schema: z
      .string()
      .refine((text) => Number(ADDRESS.exec(text)?.groups?.['port'] ?? 65_536) <= 65_535, 'must be host:port')
      .optional(),
    description:
      'host:port at which the other nodes of the installation reach this one. With it the server is one of several nodes; needs BOWLINE_DATABASE_URL. Only nodes may reach this port.',
  },
  BOWLINE_NODE_PORT: {
    programs: server,
    schema: port.optional(),
    description:
      'Port that this node listens on for the others, on the address of BOWLINE_HOST. Default: the port of BOWLINE_NODE_ADDRESS.',
  },
  BOWLINE_REDIS_URL: {
    programs: server,
    schema: z
      .string()
      .regex(
        /^rediss?:\/\/[^/]+(\/\d+)?$/,
        'must be redis://[user:password@]host[:port][/number], or rediss:// for TLS',
      )
      .refine((url) => URL.canParse(url), 'must be an address')
      .optional(),
    description:
      'Redis 6.2 or newer, or Valkey, that wakes the nodes and counts guesses faster than PostgreSQL; optional, and nothing is lost with it. Needs BOWLINE_DATABASE_URL.',
    secret: true,
  },
} as const satisfies Record<string, SettingSpec>
