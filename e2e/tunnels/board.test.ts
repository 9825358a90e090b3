// The board of the HTTP tunnels as tests: one for each row.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compareRow } from './board.ts'
import { SERVICES } from './row.ts'
import { rows } from './rows.ts'
import { hasNginx } from './services/nginx.ts'
import { type Sites, startSites } from './world.ts'

const isThere = (service: string): boolean => service !== 'nginx' || hasNginx

let sites: Sites
beforeAll(async () => {
  sites = await startSites(SERVICES.filter(isThere))
})
afterAll(() => sites[Symbol.asyncDispose]())

for (const row of rows) {
  const needs = isThere(row.service) ? '' : ' (needs nginx)'
  it.skipIf(!isThere(row.service))(`${row.service}, client of ${row.client}: ${row.feature}${needs}`, async () => {
    const verdict = await compareRow(row, sites)
    const { explained } = row
    expect(verdict).toEqual(explained ? { is: 'explained', why: explained.why } : { is: 'equal' })
  })
}
