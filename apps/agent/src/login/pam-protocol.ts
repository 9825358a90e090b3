// What the agent and its PAM process say to each other: one JSON object a line.
import { AuthRound } from '@bowline/link/streams'
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
})
export type PamTask = z.infer<typeof PamTask>

/**
 * Lines from the process: rounds, each answered by an AuthReply line, then one outcome. A session is open after
 * `accepted`, until the process reads the end of its input.
 */
export const PamLine = z.union([
  z.object({ round: AuthRound }),
  z.object({ outcome: z.literal('accepted'), environment: z.array(z.string()) }),
  z.object({ outcome: z.enum(['credential', 'unknown-user', 'locked', 'expired', 'unsupported']) }),
])
export type PamLine = z.infer<typeof PamLine>
export type PamOutcome = Exclude<Extract<PamLine, { outcome: unknown }>['outcome'], 'accepted'>
