// Dry run of a change of the firewall rules: its effect on the sessions of the last days, before it is made.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { DeviceUid, SessionUid, Time, UserId } from '../common.ts'
import { OrderBody, RuleBody, RuleId } from '../firewall.ts'

/** A rule of a proposed list; without an id it is a new one. */
const ProposedRule = RuleBody.extend({ id: RuleId.optional() })

/**
 * One change: a rule to add (`rule`), to replace (`id` and `rule`) or to remove (`id`), another order, or all rules as they
 * would be.
 */
export const DryRunBody = z
  .object({
    id: RuleId.optional(),
    rule: RuleBody.optional(),
    order: OrderBody.shape.rules.optional(),
    /** Every rule after several changes at once: those that are left out would be removed. */
    rules: z.array(ProposedRule).max(LIMITS.policy.rules).optional(),
  })
  .refine(({ id, rule, order, rules }) => {
    const changes = [id === undefined && rule === undefined ? undefined : true, order, rules]
    return changes.filter((change) => change !== undefined).length === 1
  }, 'must have a rule or the id of one, an order, or all rules')
  .meta({ id: 'FirewallDryRunBody' })
export type DryRunBody = z.infer<typeof DryRunBody>

const Example = z.object({
  session: SessionUid,
  started_at: Time,
  /** Account on the device. */
  username: z.string(),
  address: z.string(),
  device: z.object({ uid: DeviceUid, name: z.string() }),
  /** Null where nobody knows who it was. */
  person: z.object({ id: UserId, name: z.string() }).nullable(),
  /** Id of the rule that would decide; null: none, or the new one. */
  rule: z.number().int().nullable(),
  /** An added or replaced rule would decide. */
  proposed: z.boolean(),
})

const Effect = z.object({
  sessions: z.number().int(),
  devices: z.number().int(),
  /** Distinct people; sessions of nobody known count for none. */
  people: z.number().int(),
  /** Distinct addresses of sessions whose person is unknown. */
  addresses: z.number().int(),
  /** The newest of them. */
  examples: z.array(Example),
})

export const DryRun = z
  .object({
    /** Sessions that began before are not considered. */
    since: Time,
    /** Sessions considered, the newest first. */
    sessions: z.number().int(),
    /** False when there were more sessions, or the rules are too many to evaluate on all sessions and devices. */
    complete: z.boolean(),
    /** Sessions that the present rules allow and the changed ones do not. */
    blocked: Effect,
    /** Sessions that the present rules deny and the changed ones do not. */
    allowed: Effect,
    /**
     * The caller, from the present address: devices reached in these days, and how many of them would be cut off; and all
     * devices that the present rules let the caller reach, by the names of the caller's logins and keys, or else of anybody's and
     * usual ones, and how many of these would be lost.
     */
    caller: z.object({
      devices: z.number().int(),
      cut_off: z.number().int(),
      reachable: z.number().int(),
      lost: z.number().int(),
    }),
    /** Known people besides the caller with blocked sessions. */
    others: z.number().int(),
  })
  .meta({ id: 'FirewallDryRun' })
export type DryRun = z.infer<typeof DryRun>
