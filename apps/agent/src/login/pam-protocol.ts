// What the agent and its PAM process say to each other: one JSON object a line.
import { AuthRound } from '@bowline/link/stream-messages'
import * as z from 'zod'

/** First line to the process. */
export const PamTask = z.object({
  service: z.string(),
  user: z.string(),
  remote: z.string(),
  /**
   * `password`: is this the password, and may the account log in? `interactive`: the same with every question, and with
   * the change of an expired password. `account`: the account alone.
   */
  phase: z.enum(['password', 'interactive', 'account']),
  /** Whether a session that cannot be opened is no login. */
  strict: z.boolean(),
  /** Soft limit of open files that modules find, as decimal digits. */
  openFiles: z.string().regex(/^\d+$/),
})
export type PamTask = z.infer<typeof PamTask>

/** After `accepted`: a process to start in the session. Numbers of processes are the agent's, and say nothing else. */
export const PamStart = z.object({
  start: z.number().int(),
  path: z.string(),
  /** Exact bytes, base64. */
  argv: z.array(z.string()),
  env: z.array(z.string()),
  /** A terminal's path, or paths of three pipes. */
  stdio: z.union([z.string(), z.tuple([z.string(), z.string(), z.string()])]),
  user: z.object({ uid: z.number(), gid: z.number(), groups: z.array(z.number()), home: z.string() }),
})
export type PamStart = z.infer<typeof PamStart>

const exit = z.union([z.object({ status: z.number() }), z.object({ signal: z.number(), coreDumped: z.boolean() })])
/** What modules had to say, for the person; '' for nothing. */
const told = z.string()

/**
 * Lines from the process: rounds, each answered by an AuthReply line, then one outcome. After `accepted` the login lives
 * until the process reads the end of its input; until then it answers each {@link PamStart}.
 */
export const PamLine = z.union([
  z.object({ round: AuthRound }),
  z.object({
    outcome: z.literal('accepted'),
    environment: z.array(z.string()),
    told,
    /** Why no session is open, where that is let pass. */
    problem: z.string().optional(),
  }),
  z.object({
    outcome: z.enum(['credential', 'unknown-user', 'locked', 'expired', 'unsupported']),
    told: told.optional(),
  }),
  z.object({ started: z.number(), pid: z.number() }),
  z.object({ failed: z.number(), message: z.string() }),
  z.object({ exited: z.number(), exit }),
])
export type PamLine = z.infer<typeof PamLine>
export type PamOutcome = Exclude<Extract<PamLine, { outcome: unknown }>['outcome'], 'accepted'>
