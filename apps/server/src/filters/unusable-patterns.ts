// Stored patterns that this version cannot use: of an older version with other limits, or written past the API. They fail
// closed, which surprises people; the log says which they are.
import type { TenantContext } from '../context.ts'
import { compilePattern, patternFlaw } from '../platform/patterns/pattern.ts'

/** What has been reported by this process; when it is full, everything may be reported once more. */
const reported = new Set<string>()
const MAX_REPORTED = 10_000

/**
 * Writes each pattern that cannot be used to the log, once in the life of the process.
 * @param what what has the patterns: `firewall rule 7`
 * @param patterns by field; null where the field has none
 */
export function reportUnusable(
  { log, tenant }: Pick<TenantContext, 'log' | 'tenant'>,
  what: string,
  patterns: Readonly<Record<string, string | null>>,
): void {
  for (const [field, pattern] of Object.entries(patterns)) {
    if (pattern === null || pattern === '' || compilePattern(pattern)) continue
    const key = JSON.stringify([tenant, what, field, pattern])
    if (reported.has(key)) continue
    if (reported.size >= MAX_REPORTED) reported.clear()
    reported.add(key)
    log.warn('policy.pattern-unusable', { tenant, what, field, rule: patternFlaw(pattern) })
  }
}
