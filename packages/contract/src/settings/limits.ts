// How much of the server one source, account or namespace may have at once.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const
/** A whole number within bounds, both included. */
export const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be a whole number from ${minimum} to ${maximum}`)

export const LIMIT_SETTINGS = {
  BOWLINE_MAX_SESSIONS_PER_SOURCE: {
    programs: server,
    schema: whole(1, 100_000).default(50),
    description: 'SSH connections that one source address may hold at once.',
  },
  BOWLINE_MAX_SESSIONS: {
    programs: server,
    schema: whole(1, 1_000_000).default(5_000),
    description: 'SSH connections that this server may hold at once.',
  },
  BOWLINE_MAX_SESSIONS_PER_NAMESPACE: {
    programs: server,
    schema: whole(1, 1_000_000).default(1_000),
    description: 'Sessions that one namespace may have open at once.',
  },
  BOWLINE_MAX_SESSIONS_PER_ACCOUNT: {
    programs: server,
    schema: whole(1, 1_000_000).default(50),
    description: 'Sessions that may be open at once with one account of one device.',
  },
  BOWLINE_MAX_UNAUTHENTICATED: {
    programs: server,
    schema: whole(1, 100_000).default(10),
    description: 'SSH connections that one source address may hold before they have signed in.',
  },
  BOWLINE_CONNECTION_RATE: {
    programs: server,
    schema: whole(1, 100_000).default(10),
    description: 'New SSH connections a second from one source address (twice as many at once).',
  },
  BOWLINE_MAX_CHANNELS: {
    programs: server,
    schema: whole(1, 10_000).default(64),
    description: 'Channels that one SSH connection may have open at once.',
  },
  BOWLINE_MAX_HTTP_CONNECTIONS: {
    programs: server,
    schema: whole(1, 1_000_000).default(10_000),
    description: 'HTTP connections that this server may hold at once, links and terminals apart.',
  },
  BOWLINE_MAX_HTTP_CONNECTIONS_PER_SOURCE: {
    programs: server,
    schema: whole(1, 1_000_000).default(512),
    description: 'HTTP connections that one source address may hold at once, links and terminals apart.',
  },
} as const satisfies Record<string, SettingSpec>
