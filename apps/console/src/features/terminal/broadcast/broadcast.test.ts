import { beforeEach, expect, it } from 'vitest'
import { type ShownTab, createBroadcast } from './broadcast.ts'

let shown: ShownTab | undefined
let running: Set<string>
let got: string[]
const bytes = (text: string) => new TextEncoder().encode(text)
const start = () =>
  createBroadcast(
    () => shown,
    (id) => ({
      isRunning: () => running.has(id),
      send: (sent) => void got.push(`${id}:${new TextDecoder().decode(sent)}`),
    }),
  )

beforeEach(() => {
  shown = { id: 'tab', panes: ['a', 'b', 'c'] }
  running = new Set(['a', 'b', 'c'])
  got = []
})

it('reaches no pane before one is chosen', () => {
  const broadcast = start()
  broadcast.relay('a', bytes('x'))
  broadcast.start('a')
  broadcast.relay('a', bytes('x'))
  expect(got).toEqual([])
})

it('reaches the chosen panes only, from a chosen pane only', () => {
  const broadcast = start()
  broadcast.start('a')
  broadcast.toggle('b')
  broadcast.relay('a', bytes('x'))
  broadcast.relay('b', bytes('y'))
  broadcast.relay('c', bytes('z'))
  expect(got).toEqual(['b:x', 'a:y'])
  broadcast.toggle('b')
  broadcast.relay('a', bytes('x'))
  expect(got).toHaveLength(2)
})

it('chooses all that are connected on request', () => {
  running.delete('c')
  const broadcast = start()
  broadcast.start('a')
  broadcast.chooseAll()
  expect(broadcast.state.get()?.chosen).toEqual(['a', 'b'])
  broadcast.toggle('c')
  expect(broadcast.state.get()?.chosen).toEqual(['a', 'b'])
})

it('leaves out a pane whose session has ended, also when another one begins in it', () => {
  const broadcast = start()
  broadcast.start('a')
  broadcast.chooseAll()
  running.delete('b')
  broadcast.relay('a', bytes('x'))
  running.add('b')
  broadcast.relay('a', bytes('y'))
  expect(got).toEqual(['c:x', 'c:y'])
})

it.each([
  ['another tab is shown', { id: 'other', panes: ['a', 'b', 'c'] }],
  ['a pane is added', { id: 'tab', panes: ['a', 'b', 'c', 'd'] }],
  ['a pane is closed', { id: 'tab', panes: ['a', 'b'] }],
  ['no tab is shown', undefined],
])('ends when %s', (_, next) => {
  const broadcast = start()
  broadcast.start('a')
  broadcast.toggle('b')
  shown = next
  broadcast.relay('a', bytes('x'))
  expect(got).toEqual([])
  expect(broadcast.state.get()).toBeUndefined()
})

it('does not begin in a pane that is not connected or not on the screen', () => {
  const broadcast = start()
  running.delete('a')
  broadcast.start('a')
  broadcast.start('elsewhere')
  expect(broadcast.state.get()).toBeUndefined()
})
