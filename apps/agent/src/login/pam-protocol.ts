// The protocol between the agent and its PAM process: one JSON object per line.
import { AuthRound } from '@bowline/link/stream-messages'
import * as z from 'zod'

/** First line to the process. */
export const PamTask = z.object({
  service: z.string(),
  user: z.string(),
  remote: z.string(),
  /**
   * `password`: checks this password and the account. `interactive`: the same with every prompt, and with the change of
   * an expired password. `account`: checks the account alone.
   */
  phase: z.enum(['password', 'interactive', 'account']),
  /** Whether a login is refused when its session cannot be opened. */
  strict: z.boolean(),
  /** Soft limit of open files that modules see, as decimal digits. */
  openFiles: z.string().regex(/^\d+$/),
})
export type PamTask = z.infer<typeof PamTask>

/** After `accepted`: a process to start in the session. Process numbers are assigned by the agent and are opaque. */
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
/** Messages of modules for the user; '' for none. */
const told = z.string()

/**
 * Lines from the process: rounds, each answered by an AuthReply line, then one outcome. After `accepted` the login
 * lives until the process reads the end of its input; until then it handles each {@link PamStart}.
 */
export const PamLine = z.union([
  z.object({ round: AuthRound }),
  z.object({
    outcome: z.literal('accepted'),
    environment: z.array(z.string()),
    told,
    /** Why no session is open, where that is permitted. */
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
