// The stored board says what the tests beside this file prove.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CLIENTS } from './clients.ts'
import { COLUMNS } from './columns.ts'
import { fullBoard, withTable } from './results.ts'
import type { Row } from './results.ts'

const home = join(import.meta.dirname, '../..')
const rows = JSON.parse(readFileSync(join(home, 'interop.json'), 'utf8')) as Row[]

test('interop.json has every cell filled, or the reason why the client cannot fill it', () => {
  expect(rows.map(({ client, cells }) => ({ client, cells }))).toEqual(fullBoard())
})

test('interop.json was filled by the clients that its rows are called after', () => {
  for (const { client, version } of rows) expect(version).toContain(client.split(' ')[1])
})

test('the README shows interop.json', () => {
  const readme = readFileSync(join(home, 'README.md'), 'utf8')
  expect(withTable(readme, rows)).toBe(readme)
})

test('reasons are given for columns that exist', () => {
  const ids = COLUMNS.map(({ id }) => id)
  expect(CLIENTS.flatMap(({ unsupported }) => Object.keys(unsupported)).filter((id) => !ids.includes(id))).toEqual([])
})
