// Runs the interop board: every client against every column.
import type { Job } from '@bowline/testkit/clients/job'
import { setUpBench } from './bench.ts'
import type { Bench } from './bench.ts'
import { startBoardServer } from './board-server.ts'
import type { BoardServer } from './board-server.ts'
import type { Client } from './clients.ts'
import { COLUMNS, userOf } from './columns.ts'
import type { Column } from './columns.ts'

/** The two servers that all clients use: the second rekeys often. */
export interface Board extends AsyncDisposable {
  readonly bench: Bench
  serverOf(column: Column): BoardServer
}

export async function setUpBoard(): Promise<Board> {
  const bench = await setUpBench()
  const byUser = new Map(COLUMNS.map((column) => [userOf(column), column]))
  const options = {
    wayIn: (user: string) => byUser.get(user)?.wayIn(bench),
    authority: bench.authority,
    folder: bench.folder.path,
  }
  const rekeyBytes = COLUMNS.find((column) => column.serverRekeyBytes)?.serverRekeyBytes
  const usual = await startBoardServer(options)
  const rekeying = await startBoardServer({ ...options, limits: rekeyBytes ? { rekeyBytes } : {} })
  return {
    bench,
    serverOf: (column) => (column.serverRekeyBytes ? rekeying : usual),
    async [Symbol.asyncDispose]() {
      await usual[Symbol.asyncDispose]()
      await rekeying[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

/** Fills one cell; rejects with the failure. */
export type FillCell = (column: Column) => Promise<void>

/** Prepares all cells of a client. Unsupported cells are never run. */
export async function rowOf(client: Client, board: Board): Promise<FillCell> {
  const jobs: Job[] = []
  for (const column of COLUMNS) {
    if (column.id in client.unsupported) continue
    const { port, fingerprint } = board.serverOf(column)
    const asks = await column.asks(board.bench, client.place)
    for (const [index, ask] of asks.entries()) {
      jobs.push({ id: idOf(column, index), port, fingerprint, user: userOf(column), ...ask })
    }
  }
  const resultOf = client.run(jobs, board.bench.folder.path)
  return async (column) => {
    for (let index = 0; jobs.some(({ id }) => id === idOf(column, index)); index += 1) {
      const result = await resultOf(idOf(column, index))
      const seen = board.serverOf(column).seen.get(userOf(column))
      if (!seen) throw new Error(`never signed in: ${result.stderr}`)
      column.prove(result, seen, board.bench)
    }
  }
}

const idOf = (column: Column, index: number) => `${userOf(column)}-${index}`
