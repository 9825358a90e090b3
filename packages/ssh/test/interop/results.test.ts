// Tests that the stored board matches the tests beside this file.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLIENTS } from './clients.ts'
import { COLUMNS } from './columns.ts'
import { fullBoard, withTable } from './results.ts'
import type { Row } from './results.ts'

const home = join(import.meta.dirname, '../..')
const rows = JSON.parse(readFileSync(join(home, 'interop.json'), 'utf8')) as Row[]

test('interop.json has a result or a reason for every cell', () => {
  expect(rows.map(({ client, cells }) => ({ client, cells }))).toEqual(fullBoard())
})

test('interop.json was filled by the clients its rows are named after', () => {
  for (const { client, version } of rows) expect(version).toContain(client.split(' ')[1])
})

test('the README shows interop.json', () => {
  const readme = readFileSync(join(home, 'README.md'), 'utf8')
  expect(withTable(readme, rows)).toBe(readme)
})

test('gives reasons only for existing columns', () => {
  const ids = COLUMNS.map(({ id }) => id)
  expect(CLIENTS.flatMap(({ unsupported }) => Object.keys(unsupported)).filter((id) => !ids.includes(id))).toEqual([])
})
