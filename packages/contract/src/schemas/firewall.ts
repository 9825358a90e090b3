// Firewall rules: the highest-priority match decides; without a match the connection is allowed.
import * as z from 'zod'
import { DeviceUid, TenantId, UserId } from './common.ts'
import { LIMITS } from '../limits.ts'
import { ROLES } from '../roles.ts'
import { canonicalNetwork, looksLikeNetwork } from './policy/network.ts'
import { RoleName } from './namespace.ts'
import { DeviceFilter, Pattern } from './tag.ts'

export const RuleId = z.coerce.number().int().min(1).max(2_147_483_647)

const NO_NETWORK = 'must be an address or a network such as 10.0.0.0/8 or 2001:db8::/32'

const unique = (some: readonly string[]): boolean => new Set(some).size === some.length

const RuleFields = z.object({
  action: z.enum(['allow', 'deny']),
  active: z.boolean(),
  filter: DeviceFilter,
  priority: z.number().int('must be a whole number').min(0, 'must be 0 or more').max(2_147_483_647),
  /** RE2 pattern searched in the client's address; `.*` in a rule with networks. */
  source_ip: Pattern,
  /** Networks that the client's address may be in; any of them suffices. Empty: `source_ip` decides. */
  source_networks: z
    .array(
      z
        .string()
        .max(64)
        .refine((text) => canonicalNetwork(text) !== undefined, NO_NETWORK),
    )
    .max(LIMITS.policy.networksPerRule),
  /** RE2 pattern searched in the login name. */
  username: Pattern,
  /** Members that the rule is about, besides those with one of the roles. Both empty: the rule is about everybody. */
  people: z.array(UserId).max(LIMITS.policy.peoplePerRule).refine(unique, 'must not repeat a member'),
  /** Roles whose members the rule is about. */
  roles: z.array(RoleName).max(ROLES.length).refine(unique, 'must not repeat a role'),
})

/** Stored rules may have any value; a new one must be able to match. */
export const RuleBody = RuleFields.extend({
  source_ip: Pattern.refine(
    (pattern) => !looksLikeNetwork(pattern),
    'must be a pattern such as ^10[.]; a network such as 10.0.0.0/8 belongs in source_networks',
  ),
  /** A change that leaves networks, people or roles out keeps them. */
  source_networks: RuleFields.shape.source_networks.optional(),
  people: RuleFields.shape.people.optional(),
  roles: RuleFields.shape.roles.optional(),
})
export type RuleBody = z.infer<typeof RuleBody>

/** Every rule of the namespace, in evaluation order. */
export const OrderBody = z.object({ rules: z.array(RuleId).max(10_000) }).meta({ id: 'FirewallOrder' })

const NO_ADDRESS = 'must be an IP address'

/** A hypothetical connection: user, source address and device. */
export const AttemptBody = z
  .object({
    device: DeviceUid,
    /** Account on the device. */
    username: z.string().min(1, 'is required').max(256),
    address: z.union([z.ipv4(NO_ADDRESS), z.ipv6(NO_ADDRESS)], NO_ADDRESS),
    /** Member who connects; without one, nobody knows who does. */
    person: UserId.optional(),
  })
  .meta({ id: 'FirewallAttempt' })

export const Verdict = z
  .object({
    allow: z.boolean(),
    /** Id of the rule that decides; null when none matches. */
    rule: z.number().int().nullable(),
  })
  .meta({ id: 'FirewallVerdict' })
export type Verdict = z.infer<typeof Verdict>

export const Rule = RuleFields.extend({ id: z.number().int(), tenant_id: TenantId }).meta({ id: 'Rule' })
export type Rule = z.infer<typeof Rule>
