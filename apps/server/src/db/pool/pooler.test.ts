import { expect, it } from 'vitest'
import { keepTheirProcesses } from './pooler.ts'

const always = (pid: number) => async () => pid
const inTurn = (pids: number[]) => async () => pids.shift() ?? 0

it('two connections with a process each are what PostgreSQL and a session pooler give', async () => {
  expect(await keepTheirProcesses(always(1), always(2))).toBe(true)
})

it('one process behind both is a transaction pooler', async () => {
  expect(await keepTheirProcesses(always(1), always(1))).toBe(false)
})

it('a process that changes between two statements is a transaction pooler too', async () => {
  expect(await keepTheirProcesses(inTurn([1, 1, 3]), always(2))).toBe(false)
  expect(await keepTheirProcesses(always(1), inTurn([2, 3, 2]))).toBe(false)
})
