// Updates of agents: what a device tells, what a namespace wants, and how far a release has come.
import * as z from 'zod'
import { Time } from '../common.ts'
import { Tag } from '../tag.ts'

const Release = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** Facts that an agent reports when it registers, signed by its device's key. */
export const AgentReport = z.object({
  /** Number of the signed release that runs; 0: of none. */
  release: Release,
  /** Why the agent does not update itself; absent: it does. Stored on one line, as the reason below. */
  obstacle: z.string().max(200).optional(),
  /** The release that was tried last and did not work. */
  failed: z.object({ release: Release, reason: z.string().max(300) }).optional(),
  /** The release that this agent is about to start, and to hand its link over to; absent: none. */
  updating: Release.optional(),
  /** Base64url. */
  signature: z.string().max(2_048),
})
export type AgentReport = z.infer<typeof AgentReport>

export const UpdatePolicy = z
  .object({
    /** `manual`: a release is rolled out when somebody starts it. `automatic`: as soon as the server has it. */
    mode: z.enum(['off', 'manual', 'automatic']),
    /** Devices with this tag come first; null: the first stage is a tenth of all. */
    canary_tag: Tag.nullable(),
    /** When devices may begin to update, in UTC; null: at any time. */
    window: z
      .object({
        /** Minutes after midnight. */
        start: z.number().int().min(0, 'must be 0 to 1439').max(1_439, 'must be 0 to 1439'),
        minutes: z.number().int().min(1, 'must be 1 to 1440').max(1_440, 'must be 1 to 1440'),
      })
      .nullable(),
  })
  .meta({ id: 'UpdatePolicy' })
export type UpdatePolicy = z.infer<typeof UpdatePolicy>

export const Rollout = z
  .object({
    id: z.uuid(),
    release: Release,
    version: z.string(),
    /** `halted` by the server, `aborted` by a person; both have ended, as `done` has. */
    state: z.enum(['running', 'paused', 'halted', 'aborted', 'done']),
    stage: z.enum(['canary', 'tenth', 'all']),
    /** Why it was halted; else empty. */
    reason: z.string(),
    started_at: Time,
    stage_since: Time,
    ended_at: Time.nullable(),
    /** Devices of the stage and of those before: that report or have tried it, that have it, that it did not work on. */
    devices: z.object({ total: z.number().int(), updated: z.number().int(), failed: z.number().int() }),
  })
  .meta({ id: 'Rollout' })
export type Rollout = z.infer<typeof Rollout>

export const AgentUpdates = z
  .object({
    /** The release that this server has; null: none that is signed, for the reason. */
    available: z.object({ release: Release, version: z.string() }).nullable(),
    unavailable: z.string(),
    /** Why no rollout starts or goes on now, although there is a release; else empty. */
    blocked: z.string(),
    policy: UpdatePolicy,
    /** The latest; null: there was none. */
    rollout: Rollout.nullable(),
    /** Accepted devices by the release that they report, newest first. */
    fleet: z.array(z.object({ release: Release, devices: z.number().int() })),
    /** Accepted devices that do not update themselves, by reason. */
    obstacles: z.array(z.object({ reason: z.string(), devices: z.number().int() })),
  })
  .meta({ id: 'AgentUpdates' })
export type AgentUpdates = z.infer<typeof AgentUpdates>
