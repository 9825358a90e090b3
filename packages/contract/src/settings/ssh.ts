// Settings of the SSH gateway: limits of connections and sessions, and the algorithms offered.
import * as z from 'zod'
import { TERMINAL } from '../terminal/messages.ts'
import { dropCurve, whole } from './numbers.ts'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const

export const SSH_SETTINGS = {
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
    schema: whole(1, 1_000_000).default(500),
    description: 'Sessions that may be open at once with one account of one device.',
  },
  BOWLINE_MAX_UNAUTHENTICATED: {
    programs: server,
    schema: dropCurve('100:30:200'),
    description:
      'SSH connections of one source address that have not signed in, as sshd’s MaxStartups: from the first number on, a new one is dropped with the probability in percent that follows, at the last number always. A number alone is a fixed limit.',
  },
  BOWLINE_MAX_UNAUTHENTICATED_TOTAL: {
    programs: server,
    schema: dropCurve('500:30:1000'),
    description:
      'The same for all source addresses together, except those from which somebody has signed in within a day.',
  },
  BOWLINE_CONNECTION_RATE: {
    programs: server,
    schema: whole(1, 100_000).default(20),
    description:
      'SSH connections a second from one source address that do not sign in (ten times as many at once). Those that do are not counted.',
  },
  BOWLINE_CONNECTION_RATE_TOTAL: {
    programs: server,
    schema: whole(1, 100_000).default(200),
    description:
      'The same for all source addresses together, except those from which somebody has signed in within a day; limits what key exchanges cost.',
  },
  BOWLINE_MAX_CHANNELS: {
    programs: server,
    schema: whole(1, 10_000).default(1_024),
    description:
      'Channels (sessions and forwarded connections) that one SSH connection may have open at once. Half as many may be opened per second in the long run; more are delayed.',
  },
  BOWLINE_RESUME_SECONDS: {
    programs: server,
    schema: whole(10, 3_600).default(TERMINAL.resumeSeconds),
    description:
      'How long a browser’s terminal, command or file session keeps running after its connection drops or its page is closed, in seconds; a browser that returns within that time resumes it.',
  },
  BOWLINE_MAX_UNREAD_MEGABYTES: {
    programs: server,
    schema: whole(1, 1_000_000).optional(),
    description:
      'Megabytes that this server holds for SSH clients and devices that do not read what is sent to them. Beyond it connections end: of the namespace that holds the most, the largest first. Default: a quarter of the memory of the machine or the container.',
  },
  BOWLINE_SSH_COMPATIBILITY: {
    programs: server,
    schema: z.enum(['auto', 'modern']).default('auto'),
    description:
      'auto: SSH clients that are known by their identification to lack modern algorithms (libssh2 before 1.11, Ruby’s Net::SSH, Twisted Conch, JSch 0.1 and the like) are also offered ecdh-sha2-nistp256, diffie-hellman-group14-sha256, HMAC-SHA-2 in its older form and, where they take no Ed25519, an ECDSA host key. modern: nobody is.',
  },
} as const satisfies Record<string, SettingSpec>
