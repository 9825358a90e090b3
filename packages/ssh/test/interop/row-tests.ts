// Turns rows of the interop board into tests: one per cell that the client can fill.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowOf, setUpBoard } from './board.ts'
import type { Board, FillCell } from './board.ts'
import { CLIENTS, missing } from './clients.ts'
import { COLUMNS } from './columns.ts'

/** @param ids of the clients; each test file takes some, so that they run in parallel */
export function testRows(...ids: string[]): void {
  const clients = CLIENTS.filter(({ id }) => ids.includes(id))
  if (clients.length !== ids.length) throw new Error(`unknown client among ${ids.join()}`)
  let board: Board
  beforeAll(async () => {
    board = await setUpBoard()
  })
  afterAll(() => board[Symbol.asyncDispose]())

  for (const client of clients) {
    const absent = missing(client)
    describe.skipIf(absent)(`${client.id}${absent ? `: not run: ${absent}` : ''}`, () => {
      let fillCell: FillCell
      beforeAll(async () => {
        fillCell = await rowOf(client, board)
      })
      const columns = COLUMNS.filter(({ id }) => !(id in client.unsupported))
      // A library runs all its cells in one process; the first one waits for it.
      test.for(columns)('$id', { timeout: 90_000 }, async (column) => {
        await expect(fillCell(column)).resolves.toBeUndefined()
      })
    })
  }
}
