// Secrets are compared in constant time or as hashes in the database: `===` tells by its time how much of a guess is
// right. Judged by names, so a secret must be called one.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SECRET = /(token|secret|sig|signature|hash|mac|otp)$/i
/** Both sides of a comparison; what is no name, as '' and undefined, tells nothing of a secret. */
const COMPARISON = /([\w.]+)\)? [!=]== ([\w.]+)/g
const PLAIN = /^(undefined|null|true|false|\d.*|.*[.]length)$/
/** MACs of network cards are no secrets, nor are the hashes of the published ledger of recordings. */
const PUBLIC = /(twin|device|identity)[?]?[.]mac$|^(seal|file[.]seal|known[?]?|head|posted|row|)[.](hash|previous)$/

function compared(source: string): string[] {
  return [...source.matchAll(COMPARISON)]
    .filter(([, left = '', right = '']) => {
      const sides = [left, right]
      return sides.some((side) => SECRET.test(side) && !PUBLIC.test(side)) && !sides.some((side) => PLAIN.test(side))
    })
    .map(([text]) => text)
}

it('no secret is compared by ===', async () => {
  const folder = fileURLToPath(new URL('../..', import.meta.url))
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing(\/|[^/]*\.ts$)/.test(name),
  )
  const found = await Promise.all(
    names.map(async (name) => compared(await readFile(join(folder, name), 'utf8')).map((text) => `${name}: ${text}`)),
  )
  expect(found.flat()).toEqual([])
})

it('would be seen', () => {
  expect(compared('if (row.invite_hash === given) if (body.token !== row.token)')).toHaveLength(2)
  expect(compared(`token === '' || sig === undefined || one.hash.length === n || twin.mac === device.mac`)).toEqual([])
})
