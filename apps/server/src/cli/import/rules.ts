// Firewall rules of an import. Both servers search patterns in RE2 syntax, and let the highest priority decide.
import { operations } from '@bowline/contract/operations'
import { RuleBody } from '@bowline/contract/schemas/firewall'
import { patternFlaw } from '../../platform/patterns/pattern.ts'
import type { ServerClient } from '../client/client.ts'
import { identityOf } from '@bowline/contract/schemas/policy/rule-identity'
import { everyPage, refusalOf } from './calls.ts'
import type { OldRule } from './file.ts'
import type { Line } from './report.ts'

/** @returns why the rule cannot come, or what is sent */
export function judgeRule({ filter, ...old }: OldRule): RuleBody | string {
  const devices = filter.tags && filter.tags.length > 0 ? { tags: filter.tags } : { hostname: filter.hostname ?? '' }
  const body = RuleBody.safeParse({ ...old, username: old.username || '.*', filter: devices })
  if (!body.success) return body.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' ')
  const { source_ip, username } = body.data
  for (const [field, pattern] of Object.entries({
    source_ip,
    username,
    'filter.hostname': body.data.filter.hostname,
  })) {
    const flaw = pattern === undefined ? undefined : patternFlaw(pattern)
    if (flaw !== undefined) return `${field} ${flaw}: ${pattern}`
  }
  return body.data
}

/** What a person knows a rule by. */
function nameOf({ action, priority, source_ip, username, filter }: OldRule): string {
  const devices = filter.tags && filter.tags.length > 0 ? filter.tags.join(',') : (filter.hostname ?? '')
  return `${action} ${priority}: ${source_ip} to ${username}@${devices}`
}

/**
 * Creates the rules that the namespace does not have.
 * @param call undefined: nothing is sent, and all that can be sent count as created
 */
export async function importRules(
  call: ServerClient['call'] | undefined,
  rules: readonly OldRule[],
  isDryRun: boolean,
): Promise<Line[]> {
  const here = call ? await everyPage((query) => call(operations.firewall.list, { query })) : []
  /** How often each is here. */
  const counts = new Map<string, number>()
  for (const rule of here) counts.set(identityOf(rule), (counts.get(identityOf(rule)) ?? 0) + 1)
  const lines: Line[] = []
  for (const old of rules) {
    const line = { what: 'firewall rule', name: nameOf(old), reason: null }
    const body = judgeRule(old)
    if (typeof body === 'string') {
      lines.push({ ...line, outcome: 'refused', reason: body })
      continue
    }
    const known = counts.get(identityOf(body)) ?? 0
    counts.set(identityOf(body), known - 1)
    if (known > 0) lines.push({ ...line, outcome: 'unchanged' })
    else if (!call || isDryRun) lines.push({ ...line, outcome: 'created' })
    else lines.push({ ...line, ...(await create(call, body)) })
  }
  return lines
}

async function create(call: ServerClient['call'], body: RuleBody): Promise<Pick<Line, 'outcome' | 'reason'>> {
  try {
    await call(operations.firewall.create, { body })
    return { outcome: 'created', reason: null }
  } catch (error) {
    return { outcome: 'refused', reason: refusalOf(error) }
  }
}
