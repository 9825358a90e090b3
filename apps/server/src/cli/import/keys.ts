// Public keys of an import. There they belong to nobody, so here they are service keys: taking them for keys of the person who
// imports would call that person the author of everybody's sessions.
import { BowlineError } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { PublicKeyBody } from '@bowline/contract/schemas/public-key'
import type { z } from 'zod'
import { readKeyData } from '../../platform/keys/key-data.ts'
import { patternFlaw } from '../../platform/patterns/pattern.ts'
import type { ServerClient } from '../client/client.ts'
import { everyPage, refusalOf } from './calls.ts'
import type { OldKey } from './file.ts'
import type { Line } from './report.ts'

interface Sendable {
  readonly body: z.output<typeof PublicKeyBody> & { readonly data: string }
  readonly fingerprint: string
}

/** Characters that match themselves. */
const LITERAL = /^[\w-]*$/

/**
 * A pattern that matches whole names for one that is searched in them: there `web` is for `web-1` too.
 * @returns '.*' for '', which is for everything
 */
export function wholeOf(searched: string): string {
  if (searched === '' || searched === '.*') return '.*'
  const bounded = /^\^([\w-]*)\$$/.exec(searched)
  if (bounded?.[1] !== undefined && LITERAL.test(bounded[1])) return bounded[1]
  return `(?s:.*)(?:${searched})(?s:.*)`
}

/** @returns why the key cannot come, or what is sent */
export function judgeKey({ name, data, username, filter }: OldKey): Sendable | string {
  let fingerprint: string
  try {
    fingerprint = readKeyData(data).fingerprint
  } catch (error) {
    if (error instanceof BowlineError) return error.message
    throw error
  }
  const patterns = { username: username === '' ? '.*' : username, 'filter.hostname': filter.hostname ?? '' }
  for (const [field, pattern] of Object.entries(patterns)) {
    const flaw = patternFlaw(pattern)
    if (flaw !== undefined) return `${field} ${flaw}: ${pattern}`
  }
  const devices =
    filter.tags && filter.tags.length > 0 ? { tags: filter.tags } : { hostname: wholeOf(filter.hostname ?? '') }
  const body = PublicKeyBody.safeParse({ name, username: wholeOf(username), filter: devices, owner: null })
  if (!body.success) return body.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' ')
  return { body: { ...body.data, data }, fingerprint }
}

/**
 * Creates the keys that the namespace does not have; those that it has stay as they are.
 * @param call undefined: nothing is sent, and all that can be sent count as created
 */
export async function importKeys(
  call: ServerClient['call'] | undefined,
  keys: readonly OldKey[],
  isDryRun: boolean,
): Promise<Line[]> {
  const here = call ? await everyPage((query) => call(operations.publicKeys.list, { query })) : []
  const known = new Set(here.map(({ fingerprint }) => fingerprint))
  const lines: Line[] = []
  for (const old of keys) {
    const line = { what: 'public key', name: old.name, reason: null }
    const judged = judgeKey(old)
    if (typeof judged === 'string') lines.push({ ...line, outcome: 'refused', reason: judged })
    else if (known.has(judged.fingerprint)) lines.push({ ...line, outcome: 'unchanged' })
    else if (!call || isDryRun) lines.push({ ...line, outcome: 'created' })
    else lines.push({ ...line, ...(await create(call, judged)) })
    if (typeof judged !== 'string') known.add(judged.fingerprint)
  }
  return lines
}

async function create(call: ServerClient['call'], { body }: Sendable): Promise<Pick<Line, 'outcome' | 'reason'>> {
  try {
    await call(operations.publicKeys.create, { body })
    return { outcome: 'created', reason: null }
  } catch (error) {
    return { outcome: 'refused', reason: refusalOf(error) }
  }
}
