// Source of a rule's connections: anywhere, networks, or addresses that match a pattern. Converts between form fields and
// the API. Pure.
import { RuleBody, type Rule } from '@bowline/contract/schemas/firewall'
import { canonicalNetwork, looksLikeNetwork } from '@bowline/contract/schemas/policy/network'
import { z } from 'zod'
import { ANY } from '../tags/pattern-field.tsx'
import { firewallMessages as texts } from './messages.ts'
import { networkOfPattern } from './network-pattern.ts'

export const SOURCE_KINDS = ['any', 'network', 'pattern'] as const

/** Form fields. Only those of the selected kind are validated. */
export const sourceFields = {
  source: z.enum(SOURCE_KINDS),
  /** Networks, separated by commas or spaces. */
  source_networks: z.string(),
  source_ip: z.string(),
} as const

export interface Source {
  readonly source: (typeof SOURCE_KINDS)[number]
  readonly source_networks: string
  readonly source_ip: string
}

type RuleSource = Pick<Rule, 'source_ip' | 'source_networks'>

/** Networks as typed. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '')
}

/** Adds a schema check of the selected kind. */
export function checkSource({ source, source_networks, source_ip }: Source, context: z.core.$RefinementCtx): void {
  const refuse = (path: keyof Source, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (source === 'pattern') {
    const wrong = looksLikeNetwork(source_ip)
      ? texts.source.patternIsNetwork
      : RuleBody.shape.source_ip.safeParse(source_ip).error?.issues[0]?.message
    if (wrong !== undefined) refuse('source_ip', wrong)
  }
  if (source !== 'network') return
  const networks = networksOf(source_networks)
  const invalid = networks.find((one) => canonicalNetwork(one) === undefined)
  const tooMany = RuleBody.shape.source_networks.safeParse(networks).error?.issues[0]?.message
  if (networks.length === 0) refuse('source_networks', texts.source.networkMissing)
  else if (invalid !== undefined) refuse('source_networks', texts.source.networkInvalid(invalid))
  else if (tooMany !== undefined) refuse('source_networks', tooMany)
}

export function toRuleSource({ source, source_networks, source_ip }: Source): RuleSource {
  if (source === 'network') return { source_ip: ANY, source_networks: networksOf(source_networks) }
  return { source_ip: source === 'any' ? ANY : source_ip, source_networks: [] }
}

/** A pattern that was made from a network is edited, and saved, as the network. */
export function toSource(rule: RuleSource | undefined): Source {
  const networks = networksShown(rule ?? { source_ip: ANY, source_networks: [] })
  if (networks.length > 0) return { source: 'network', source_networks: networks.join(', '), source_ip: '' }
  const isAny = rule === undefined || rule.source_ip === ANY
  return { source: isAny ? 'any' : 'pattern', source_networks: '', source_ip: isAny ? '' : rule.source_ip }
}

/** Networks of a rule, also where it keeps one as a pattern. */
export function networksShown({ source_ip, source_networks }: RuleSource): readonly string[] {
  if (source_networks.length > 0) return source_networks
  const made = networkOfPattern(source_ip)
  return made === undefined ? [] : [made]
}

/** A stored pattern that no address has: somebody meant a network. */
export function neverMatches({ source_ip, source_networks }: RuleSource): boolean {
  return source_networks.length === 0 && looksLikeNetwork(source_ip)
}
