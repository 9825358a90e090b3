// Secrets are compared in constant time or as hashes in the database: the timing of `===` leaks how much of a guess is
// right. Detected by name, so variables must name secrets as such.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SECRET = /(token|secret|sig|signature|hash|mac|otp)$/i
/** Both sides of a comparison; literals such as '' and undefined reveal nothing of a secret. */
const COMPARISON = /([\w.]+)\)? [!=]== ([\w.]+)/g
const PLAIN = /^(undefined|null|true|false|\d.*|.*[.]length)$/
/** MAC addresses are no secrets, nor are the hashes of the published recording ledger. */
const PUBLIC = /(twin|device|identity)[?]?[.]mac$|^(seal|file[.]seal|known[?]?|head|posted|row|)[.](hash|previous)$/

function compared(source: string): string[] {
  return [...source.matchAll(COMPARISON)]
    .filter(([, left = '', right = '']) => {
      const sides = [left, right]
      return sides.some((side) => SECRET.test(side) && !PUBLIC.test(side)) && !sides.some((side) => PLAIN.test(side))
    })
    .map(([text]) => text)
}

it('compares no secret with ===', async () => {
  const folder = fileURLToPath(new URL('../..', import.meta.url))
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing(\/|[^/]*\.ts$)/.test(name),
  )
  const found = await Promise.all(
    names.map(async (name) => compared(await readFile(join(folder, name), 'utf8')).map((text) => `${name}: ${text}`)),
  )
  expect(found.flat()).toEqual([])
})

it('detects a secret compared with ===', () => {
  expect(compared('if (row.invite_hash === given) if (body.token !== row.token)')).toHaveLength(2)
  expect(compared(`token === '' || sig === undefined || one.hash.length === n || twin.mac === device.mac`)).toEqual([])
})
