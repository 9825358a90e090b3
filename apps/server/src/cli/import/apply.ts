// Second half of a move: imports a file into a namespace. Twice is the same as once.
import { ConfigError } from '@bowline/contract/config'
import type { Terminal } from '../terminal.ts'
import { provingCalls } from './calls.ts'
import { importDevices } from './devices.ts'
import { type ImportFile, readImportFile } from './file.ts'
import { importKeys } from './keys.ts'
import { importMembers } from './members.ts'
import type { Line, Report } from './report.ts'
import { importRules } from './rules.ts'
import { importSettings } from './settings.ts'
import { type TargetOptions, openTarget } from './target.ts'

export const PARTS = ['settings', 'rules', 'devices', 'keys', 'members'] as const
type Part = (typeof PARTS)[number]

export interface ApplyOptions extends TargetOptions {
  /** Parts that are left out. */
  readonly without: readonly string[]
  /** Go on without rules that deny and cannot come. */
  readonly losesRules: boolean
}

/**
 * @throws {ConfigError} when the file, the options or the sign-in do not allow it
 * @throws {Error} when something is in the way of all that follows; what was imported before stays
 */
export async function applyFile(terminal: Terminal, path: string, options: ApplyOptions): Promise<Report> {
  const { isDryRun } = options
  const unknown = options.without.filter((part) => !PARTS.some((one) => one === part))
  if (unknown.length > 0) throw new ConfigError([`--without must be one of ${PARTS.join(', ')}.`])
  const file = await readImportFile(path)
  const target = await openTarget(terminal, file.namespace, options)
  const call = target.call && provingCalls(terminal, target.call)
  const { name, tenant_id } = target.namespace
  const has = (part: Part): boolean => !options.without.includes(part)
  const ruled = new Set(file.firewall_rules.flatMap(({ filter }) => filter.tags ?? []))
  const devices = { devices: file.devices, tenant: file.namespace.tenant_id, ruled, isDryRun }
  const tell = (line: string): void => terminal.complain(line)
  const lines: Line[] = []
  if (has('settings')) lines.push(...(await importSettings(call, tenant_id, file.namespace, isDryRun)))
  // Rules before devices: nobody is let in whom they deny. Those about tags need a device that has them, which waits meanwhile.
  if (has('rules')) {
    const tagged = isDryRun || !has('devices') ? [] : firstWithTags(file, ruled)
    await importDevices(call, { ...devices, devices: tagged, as: 'pending', tell: () => undefined })
    const rules = await importRules(call, file.firewall_rules, isDryRun)
    if (!isDryRun && !options.losesRules) requireDenials(file, rules)
    lines.push(...rules)
  }
  if (has('devices')) lines.push(...(await importDevices(call, { ...devices, tell })))
  if (has('keys')) lines.push(...(await importKeys(call, file.public_keys, isDryRun)))
  if (has('members')) {
    lines.push(...(await importMembers(call, { tenant: tenant_id, person: target.person }, file.members, isDryRun)))
  }
  return { namespace: { name, tenant_id }, dry_run: isDryRun, lines: [...lines, ...linesOfOthers(file)] }
}

/** A device for each of the tags that a device has. */
function firstWithTags({ devices }: ImportFile, tags: ReadonlySet<string>): ImportFile['devices'] {
  const first = [...tags].flatMap((tag) => devices.find((device) => device.tags.includes(tag)) ?? [])
  return [...new Set(first)]
}

/**
 * @param lines one for each rule of the file
 * @throws {Error} when an active rule that denies could not come, although it is about a device
 */
function requireDenials({ devices, firewall_rules: rules }: ImportFile, lines: readonly Line[]): void {
  const used = new Set(devices.flatMap(({ tags }) => tags))
  const lost = lines.filter(({ outcome }, i) => {
    const { action, active, filter } = rules[i] ?? {}
    const isAboutSome = filter?.tags === undefined || filter.tags.some((tag) => used.has(tag))
    return outcome === 'refused' && action === 'deny' && active === true && isAboutSome
  })
  if (lost.length === 0) return
  throw new Error(
    [
      'Rules that deny cannot come, and no device was imported, as it would be open to whom they deny:',
      ...lost.map(({ name, reason }) => `${name}: ${reason}`),
      'Create rules that do the same and run the command again with --lose-rules.',
    ].join('\n'),
  )
}

/** What can never come. */
function linesOfOthers({ api_keys, unreadable, notes }: ImportFile): Line[] {
  const refused = { outcome: 'refused' as const }
  return [
    ...api_keys.map(({ name, role }) => ({
      ...refused,
      what: 'API key',
      name,
      reason: `Only its program knows it: create a key with the role ${role} and give it that one.`,
    })),
    ...unreadable.map(({ what, name, reason }) => ({ ...refused, what, name, reason })),
    ...notes.map((reason) => ({ ...refused, what: 'list', name: '', reason })),
  ]
}
