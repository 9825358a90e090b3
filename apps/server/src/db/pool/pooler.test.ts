import { expect, it } from 'vitest'
import { keepTheirProcesses } from './pooler.ts'

const always = (pid: number) => async () => pid
const inTurn = (pids: number[]) => async () => pids.shift() ?? 0

it('recognises two connections with distinct stable processes as direct or session-pooled', async () => {
  expect(await keepTheirProcesses(always(1), always(2))).toBe(true)
})

it('recognises one process behind both connections as a transaction pooler', async () => {
  expect(await keepTheirProcesses(always(1), always(1))).toBe(false)
})

it('recognises a process that changes between statements as a transaction pooler', async () => {
  expect(await keepTheirProcesses(inTurn([1, 1, 3]), always(2))).toBe(false)
  expect(await keepTheirProcesses(always(1), inTurn([2, 3, 2]))).toBe(false)
})
