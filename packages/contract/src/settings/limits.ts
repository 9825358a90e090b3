// Limits of concurrent HTTP connections, for the server and per source.
import { whole } from './numbers.ts'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const
export const LIMIT_SETTINGS = {
  BOWLINE_MAX_HTTP_CONNECTIONS: {
    programs: server,
    schema: whole(1, 1_000_000).default(10_000),
    description: 'HTTP connections that this server may hold at once, not counting links and terminals.',
  },
  BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE: {
    programs: server,
    schema: whole(1, 1_000_000).default(512),
    description: 'HTTP connections that one source address may hold at once, not counting links and terminals.',
  },
} as const satisfies Record<string, SettingSpec>
