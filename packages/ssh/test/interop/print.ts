// Fills the interop board and prints it:
//   node scripts/run.js packages/ssh/test/interop/print.ts [--write] [words of clients' names…]
// With --write the board goes into interop.json and the README, if every cell could be filled.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rowOf, setUpBoard } from './board.ts'
import type { Board } from './board.ts'
import { CLIENTS, missing } from './clients.ts'
import type { Client } from './clients.ts'
import { COLUMNS } from './columns.ts'
import { table, withTable } from './results.ts'
import type { Cell, Row } from './results.ts'

const words = process.argv.slice(2).filter((arg) => arg !== '--write')
const rows: Row[] = []
{
  await using board = await setUpBoard()
  for (const client of CLIENTS) {
    if (words.length && !words.some((word) => client.id.includes(word))) continue
    const started = performance.now()
    rows.push(await fill(client, board))
    process.stderr.write(`${client.id}: ${((performance.now() - started) / 1_000).toFixed(1)} s\n`)
  }
}
process.stdout.write(`${table(rows)}\n`)
const open = rows.flatMap(({ cells }) => Object.values(cells)).filter((cell) => /^(failed|not run)/.test(cell))
if (open.length) process.exitCode = 1
else if (process.argv.includes('--write')) write()

async function fill(client: Client, board: Board): Promise<Row> {
  const absent = missing(client)
  const cells: Record<string, Cell> = {}
  const fillCell = absent ? undefined : await rowOf(client, board)
  for (const column of COLUMNS) {
    const reason = client.unsupported[column.id]
    if (reason !== undefined) cells[column.id] = `no: ${reason}`
    else if (!fillCell) cells[column.id] = `not run: ${absent}`
    else {
      const outcome = fillCell(column).then((): Cell => 'yes')
      cells[column.id] = await outcome.catch((error): Cell => `failed: ${String(error)}`)
    }
  }
  return { client: client.id, version: absent ? '' : client.version(), cells }
}

function write(): void {
  const home = join(import.meta.dirname, '../..')
  const readme = join(home, 'README.md')
  writeFileSync(join(home, 'interop.json'), `${JSON.stringify(rows, undefined, 2)}\n`)
  writeFileSync(readme, withTable(readFileSync(readme, 'utf8'), rows))
}
