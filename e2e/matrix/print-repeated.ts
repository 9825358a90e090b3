// Prints rows that ran many times: how often each succeeded with a plain sshd and through Bowline.
import { missingPrograms } from './board.ts'
import { type KeptCounts, titleOf } from './kept-counts.ts'
import { type HowOften, repeat } from './repeat.ts'
import type { Row } from './row.ts'
import { startOnAllAddresses, startSites } from './sites.ts'
import { withOwnAddresses } from './own-addresses.ts'

const FEATURE_COLUMNS = 80
const COUNT_COLUMNS = 12
const ERROR_CHARACTERS = 500

const print = (line: string): unknown => process.stdout.write(`${line}\n`)

/** Types a wrong password, which the server counts against its source. */
export const guessesPasswords = ({ feature }: Row): boolean => feature.includes('a wrong password')

/**
 * Runs the rows one after the other and prints a line for each. When all of them type wrong passwords, each run comes
 * from an address of its own.
 * @param kept rows that it has are left out; it gets the counts of those that ran, unless Bowline did worse
 * @returns true when Bowline did as well as sshd on all
 */
export async function printRepeated(rows: readonly Row[], how: HowOften, kept?: KeptCounts): Promise<boolean> {
  const apart = rows.every(guessesPasswords)
  await using started = await startSites(how.atOnce, apart ? startOnAllAddresses : undefined)
  await using addressed = apart ? await withOwnAddresses(started, how.times) : undefined
  const sites = addressed ?? started
  print(`Each row ${how.times} times, ${how.atOnce} at once.`)
  print(`${'row'.padEnd(FEATURE_COLUMNS)}${'sshd'.padStart(COUNT_COLUMNS)}${'Bowline'.padStart(COUNT_COLUMNS)}`)
  let allWell = true
  for (const row of rows) {
    if (kept?.has(row)) continue
    const title = titleOf(row).padEnd(FEATURE_COLUMNS)
    const missing = missingPrograms(row)
    if (missing.length > 0) {
      print(`${title}  not run: needs ${missing.join(', ')}`)
      continue
    }
    for (const { sshd, bowline } of await repeat([row], sites, how)) {
      const counts = [sshd, bowline].map(({ ok }) => `${ok}/${how.times}`.padStart(COUNT_COLUMNS))
      print(`${title}${counts.join('')}`)
      for (const [on, { firstError }] of Object.entries({ sshd, Bowline: bowline })) {
        if (firstError)
          print(`    ${on}: ${firstError.slice(0, ERROR_CHARACTERS).trimEnd().replaceAll('\n', '\n    ')}`)
      }
      if (bowline.ok < sshd.ok) allWell = false
      else await kept?.keep(row, { sshd: sshd.ok, bowline: bowline.ok })
    }
  }
  return allWell
}
