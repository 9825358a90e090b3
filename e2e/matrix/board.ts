// Runs rows on both sites and compares Bowline with sshd.
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { trixieMissing } from '@bowline/testkit/place'
import { type Outcome, type Row, type Site, TRIXIE } from './row.ts'
import type { SiteSource, Sites } from './sites.ts'

export type Verdict =
  | { readonly is: 'equal' }
  | { readonly is: 'different'; readonly sshd: Outcome; readonly bowline: Outcome }
  | { readonly is: 'failed'; readonly on: 'sshd' | 'bowline'; readonly error: string }
  | { readonly is: 'not run'; readonly missing: readonly string[] }

/** Runs one row, first on sshd, where it is known to work. */
export async function compareRow(row: Row, sites: Sites): Promise<Verdict> {
  const missing = missingPrograms(row)
  if (missing.length > 0) return { is: 'not run', missing }
  const outcomes: Partial<Record<'sshd' | 'bowline', Outcome>> = {}
  for (const on of ['sshd', 'bowline'] as const) {
    try {
      outcomes[on] = await (on === 'sshd' ? twice(row, sites) : outcomeOf(row, sites, on))
    } catch (error) {
      return { is: 'failed', on, error: error instanceof Error ? error.message : String(error) }
    }
  }
  const { sshd, bowline } = outcomes
  return isDeepStrictEqual(sshd, bowline) ? { is: 'equal' } : { is: 'different', sshd, bowline }
}

/**
 * Runs a row once and removes account-specific parts from its outcome.
 * @param at index of the device account
 * @throws {Error} when the feature did not work
 */
export async function outcomeOf(row: Row, sites: SiteSource, on: Site['name'], at = 0): Promise<Outcome> {
  const site = await sites.fresh(on, at)
  try {
    const text = JSON.stringify(await row.run(site)) ?? 'null'
    const named = text.replaceAll(site.home, 'HOME').replaceAll(site.account, 'ACCOUNT')
    return JSON.parse(named.replaceAll(new RegExp(`\\b${site.uid}\\b`, 'g'), 'UID')) as Outcome
  } finally {
    await rm(site.scratch, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** sshd gets a second attempt: occasional failures of that client with sshd are not what the board is about. */
async function twice(row: Row, sites: Sites): Promise<Outcome> {
  try {
    return await outcomeOf(row, sites, 'sshd')
  } catch {
    return outcomeOf(row, sites, 'sshd')
  }
}

/** Command that checks whether a program has a library. */
const PROBES: Readonly<Record<string, (library: string) => readonly string[]>> = {
  perl: (library) => [`-M${library}`, '-e', '1'],
  ruby: (library) => ['-e', `require '${library}'`],
  python: (library) => ['-c', `import ${library}`],
}
const found = new Map<string, boolean>()

/** Requirements missing on this host; `python3:library` is a Python library, likewise for perl and ruby. */
export function missingPrograms({ needs }: Row): string[] {
  return needs.filter((need) => {
    const isThere = found.get(need) ?? isInstalled(need)
    found.set(need, isThere)
    return !isThere
  })
}

function isInstalled(need: string): boolean {
  if (need === TRIXIE) return trixieMissing() === undefined
  const [, program = '', library] = /^([^:]*)(?::(.*))?$/.exec(need) ?? []
  const [, language = ''] = /(perl|ruby|python)[0-9.]*$/.exec(program) ?? []
  const probe = library && PROBES[language]
  const [command, args] = probe ? [program, probe(library)] : ['sh', ['-c', `command -v ${program}`]]
  return spawnSync(command, args).status === 0
}
