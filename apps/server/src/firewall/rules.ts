// Evaluation of firewall rules: active rules by descending priority, newest first among equals; the first match
// decides; without a match the connection is allowed. Pure.
import { LIMITS } from '@bowline/contract/limits'
import type { Role } from '@bowline/contract/roles'
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import { type Network, hasAddress, parseNetwork } from '@bowline/contract/schemas/policy/network'
import { compilePattern } from '../platform/patterns/pattern.ts'
import { patternSize } from '../platform/patterns/pattern-size.ts'
import type { FilterColumns } from '../filters/device-filter.ts'
import type { TenantContext } from '../context.ts'
import { inOrder } from './order.ts'

export interface FirewallRule extends FilterColumns {
  readonly id: number
  readonly action: 'allow' | 'deny'
  readonly active: boolean
  readonly priority: number
  /** RE2 pattern searched for in the address; the networks replace it. */
  readonly source_ip: string
  /** Canonical; empty: `source_ip` decides. */
  readonly source_networks: readonly string[]
  /** RE2 pattern searched for in the login name. */
  readonly username: string
  /** Members that the rule is about; everybody where it has neither people nor roles. */
  readonly people: readonly UserId[]
  readonly roles: readonly Role[]
}

/** Somebody known, who is a member. */
export interface KnownPerson {
  readonly id: UserId
  readonly role: Role
}

export interface Attempt {
  readonly address: string
  /** Undefined while nobody knows who connects: rules about people do not match. */
  readonly person?: KnownPerson | undefined
  /** Account on the device. */
  readonly user: string
  readonly device: { readonly name: string; readonly tags: readonly string[] }
}

/** An attempt of an account, which may be a member. */
export interface Connecting extends Omit<Attempt, 'person'> {
  readonly person: UserId | undefined
  /** Of the device. Undefined: the rules alone decide, and no grant. */
  readonly uid?: DeviceUid | undefined
}

/** Access that somebody has for a time, beyond the rules. */
export interface Grant {
  /** Id of the access request. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Finds the grant of a member that covers an attempt now, the longest of several. */
export type FindGrant = (
  ctx: TenantContext,
  attempt: {
    readonly person: UserId
    readonly device: DeviceUid
    readonly tags: readonly string[]
    /** Account on the device. */
    readonly user: string
  },
) => Promise<Grant | undefined>

/** Evaluates attempts by the rules of one moment. Rejects when the database does not answer. */
export type Judge = (connecting: Connecting) => Promise<Decision>

export interface Decision {
  readonly allow: boolean
  /** Id of the rule that decided; undefined when none matched. */
  readonly rule: number | undefined
  /** Grant that covers the attempt, where the rules alone would deny it. */
  readonly grant?: Grant
}

/** The pattern of rules that take any address, and of those with networks. */
export const ANYWHERE = '.*'

/** Upper bound of the cost of matching a rule's patterns, networks and people, in instructions. */
export function sizeOf(
  rule: Pick<FirewallRule, 'source_ip' | 'source_networks' | 'username' | 'people' | 'hostname'>,
): number {
  const { source_ip, source_networks, username, people, hostname } = rule
  const lists = source_networks.length * LIMITS.policy.networkSize + people.length * LIMITS.policy.personSize
  return lists + patternSize(source_ip) + patternSize(username) + (hostname === null ? 0 : patternSize(hostname))
}

export function evaluate(rules: readonly FirewallRule[], attempt: Attempt): Decision {
  const ordered = inOrder(rules.filter((rule) => rule.active))
  const source = parseNetwork(attempt.address)
  const decisive = ordered.find((rule) => matches(rule, attempt, source))
  return { allow: decisive?.action !== 'deny', rule: decisive?.id }
}

/**
 * Evaluates an attempt that a grant covers: it sets rules aside that deny whatever the address, and no others. A rule that
 * denies some networks holds for everybody.
 */
export function evaluateGranted(rules: readonly FirewallRule[], attempt: Attempt, grant: Grant): Decision {
  const { allow, rule } = evaluate(
    rules.filter((one) => one.action === 'allow' || isAboutNetworks(one)),
    attempt,
  )
  return { allow, rule: allow ? undefined : rule, grant }
}

/** Any pattern but the usual one for all addresses counts as one for some. */
function isAboutNetworks({ source_ip, source_networks }: FirewallRule): boolean {
  return source_networks.length > 0 || source_ip !== ANYWHERE
}

/** @param source the parsed address */
function matches(rule: FirewallRule, attempt: Attempt, source: Network | undefined): boolean {
  const { address, user, device, person } = attempt
  if (!isAbout(rule, person)) return false
  const isFrom = rule.source_networks.length > 0 ? isWithin(rule, source) : searches(rule, rule.source_ip, address)
  return isFrom && searches(rule, rule.username, user) && isForDevice(rule, device)
}

/** Nobody known: only rules about everybody match, whatever they do. */
function isAbout({ people, roles }: FirewallRule, person: KnownPerson | undefined): boolean {
  if (people.length === 0 && roles.length === 0) return true
  return person !== undefined && (people.includes(person.id) || roles.includes(person.role))
}

/** An address or network that cannot be read fails closed, as a pattern does. */
function isWithin({ action, source_networks }: FirewallRule, source: Network | undefined): boolean {
  return source_networks.some((text) => {
    const network = parseNetwork(text)
    return network && source ? hasAddress(network, source) : action === 'deny'
  })
}

/** Checks a device against the filter of a rule. */
export function isForDevice(rule: FirewallRule, device: Attempt['device']): boolean {
  return rule.hostname === null
    ? (rule.tags ?? []).some((tag) => device.tags.includes(tag))
    : searches(rule, rule.hostname, device.name)
}

/** A stored pattern that is invalid or too large fails closed: a deny rule matches, an allow rule never. */
function searches(rule: FirewallRule, pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern)
  return compiled ? compiled.search(text) : rule.action === 'deny'
}
