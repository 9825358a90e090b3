// Stored patterns that this version cannot use: from an older version with other limits, or written directly to the
// database. They fail closed, which is surprising; the log identifies them.
import type { TenantContext } from '../context.ts'
import { compilePattern, patternFlaw } from '../platform/patterns/pattern.ts'

/** Patterns reported by this process; cleared when full, after which each may be reported again. */
const reported = new Set<string>()
const MAX_REPORTED = 10_000

/**
 * Logs each unusable pattern once per process.
 * @param what owner of the patterns: `firewall rule 7`
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
