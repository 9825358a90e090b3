import { expect, it } from 'vitest'
import { readProgress } from './progress.ts'

it('reads the progress of a program, and its end', () => {
  expect(readProgress('4;1;25')).toEqual({ kind: 'running', percent: 25 })
  expect(readProgress('4;1;999')).toEqual({ kind: 'running', percent: 100 })
  expect(readProgress('4;3')).toEqual({ kind: 'running', percent: undefined })
  expect(readProgress('4;2;80')).toEqual({ kind: 'failed', percent: 80 })
  expect(readProgress('4;4')).toEqual({ kind: 'paused', percent: undefined })
  for (const data of ['4;0', '4;0;0', '4', '4;9;1', '4;1;-5', '4;1;1e9', 'a notification']) {
    expect(readProgress(data)).toBeUndefined()
  }
})
