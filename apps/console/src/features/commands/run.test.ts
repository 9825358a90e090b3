import { describe, expect, it } from 'vitest'
import { type Execute, type Outcome, type Result, grouped, isDone, runOnAll } from './run.ts'

const device = (name: string) => ({ uid: name.padEnd(64, '0'), name, namespace: 'acme' }) as Result['device']
const resultOf = (name: string, outcome: Outcome, output = ''): Result => ({
  device: device(name),
  outcome,
  output,
  isCut: false,
  milliseconds: 1,
})
const exited = (status: number): Outcome => ({ kind: 'exited', status })

/** @param execute what becomes of each device, by name */
async function run(names: readonly string[], execute: (name: string) => Outcome) {
  const begun: string[] = []
  const act: Execute = async ({ name }) => {
    begun.push(name)
    await Promise.resolve()
    return resultOf(name, execute(name))
  }
  const { progress } = runOnAll(names.map(device), act)
  await new Promise<void>((resolve) => {
    const look = () => isDone(progress.get()) && resolve()
    progress.subscribe(look)
    look()
  })
  return { begun, ...progress.get() }
}

describe('a command on many devices', () => {
  it('runs on each of them', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `pi-${at}`)
    const { begun, results } = await run(names, () => exited(0))
    expect(begun.toSorted()).toEqual(names.toSorted())
    expect(results).toHaveLength(30)
  })

  it('tries a credential that is refused on one device only', async () => {
    const { begun, results, isRefused } = await run(['a', 'b', 'c'], () => ({ kind: 'refused' }))
    expect([begun, isRefused]).toEqual([['a'], true])
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(['refused', 'stopped', 'stopped'])
  })

  it('goes on with the next while none has taken the credential', async () => {
    const { begun } = await run(['a', 'b', 'c', 'd'], (name) =>
      name === 'a' ? { kind: 'failed', reason: 'offline' } : { kind: name === 'b' ? 'refused' : 'stopped' },
    )
    expect(begun).toEqual(['a', 'b'])
  })

  it('goes on when one of several refuses what others take', async () => {
    const { begun, isRefused } = await run(['a', 'b', 'c'], (name) => (name === 'b' ? { kind: 'refused' } : exited(0)))
    expect([begun, isRefused]).toEqual([['a', 'b', 'c'], false])
  })

  it('begins nothing more once it is stopped', async () => {
    const { promise, resolve } = Promise.withResolvers<Result>()
    const run = runOnAll(['a', 'b'].map(device), () => promise)
    run.stop()
    resolve(resultOf('a', { kind: 'stopped' }))
    await new Promise<void>((done) => run.progress.subscribe(() => isDone(run.progress.get()) && done()))
    expect(run.progress.get().results.map(({ device: { name } }) => name)).toEqual(['a', 'b'])
  })
})

it('groups what is the same, failures first', () => {
  const groups = grouped([
    resultOf('a', exited(0), 'up 3 days'),
    resultOf('b', exited(0), 'up 3 days'),
    resultOf('c', exited(1), 'no such unit'),
    resultOf('d', { kind: 'failed', reason: 'The device is offline.' }),
    resultOf('e', exited(0), 'up 4 days'),
    resultOf('f', { kind: 'failed', reason: 'The device is offline.' }),
  ])
  expect(groups.map(({ results }) => results.map(({ device: { name } }) => name).join(''))).toEqual([
    'df',
    'c',
    'ab',
    'e',
  ])
})
