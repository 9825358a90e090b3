import { describe, expect, it } from 'vitest'
import type { Change, History } from './history.ts'
import { violationsOf } from './invariants.ts'

const MINUTE = 60_000
const entered = (node: string): Change => ({ what: 'node', at: 0, node, change: 'entered' })
const gone = (node: string): Change => ({ what: 'node', at: 2, node, change: 'lost' })
const link = (node: string, epoch: number): Change => ({ what: 'link', at: 1, device: 'd', node, epoch })
const session = (closed?: string): Change => ({ what: 'session', at: 1, uid: 's', node: 'b', closed })
const up = (node: string, epoch: number) => ({ node, device: 'd', epoch, change: 'up' }) as const

/** A device moves from node b, which is lost, to node a. */
const SOUND: History = {
  changes: [
    entered('a'),
    entered('b'),
    link('b', 1),
    session(),
    gone('b'),
    link('', 1),
    session('gateway node-lost'),
    link('a', 2),
    { what: 'recording', at: 3, session: 's', isSealed: true },
  ],
  nodesSaid: [up('b', 1), up('a', 2)],
  agentsSaid: [
    { at: 0, device: 'd', isLinked: true },
    { at: 10, device: 'd', isLinked: false },
  ],
  shown: [
    { at: 9, node: 'a', device: 'd', online: true },
    { at: 10 + MINUTE, node: 'a', device: 'd', online: true },
    { at: 10 + 2 * MINUTE, node: 'a', device: 'd', online: false },
  ],
  outputs: [{ session: 'numbered', wanted: 'abc', got: 'abc' }],
  acknowledged: new Set(['r']),
  kept: new Set(['r', 'another']),
  intact: new Set(['s']),
  running: new Set(['a']),
}

/** The sound history with more changes. */
const plus = (...changes: Change[]): History => ({ ...SOUND, changes: [...SOUND.changes, ...changes] })

describe('the history checker', () => {
  it('finds nothing in a sound history', () => {
    expect(violationsOf(SOUND)).toEqual([])
  })

  it.each<[string, History, RegExp]>([
    ['a lease of an epoch before', plus(link('a', 1)), /^stale lease: device d, epoch 1 of node a, after epoch 2/],
    ['a lease of a lost node', plus(link('b', 3)), /^stale lease: device d, epoch 3 was claimed by node b/],
    ['a second owner of an epoch', plus(entered('b'), link('b', 2)), /^two owners: device d, epoch 2 of node a and/],
    ['a lease that outlives its node', plus(gone('a')), /^stale lease: device d, epoch 2 still belongs to lost node a/],
    [
      'a lease of a node that has no such link',
      plus(link('a', 3)),
      /^stale lease: .* epoch 3 belongs to node a, which/,
    ],
    [
      'a link that was never claimed',
      { ...SOUND, nodesSaid: [...SOUND.nodesSaid, up('a', 7)] },
      /^node a took device d, epoch 7, which was claimed by nobody/,
    ],
    ['a session closed twice', plus(session('user disconnect')), /^session s was closed as gateway node-lost/],
    ['a session opened again', plus(session()), /^session s was closed as gateway node-lost, then became open/],
    [
      'an open session of a lost node',
      { ...SOUND, changes: SOUND.changes.filter((one) => one.what !== 'session' || one.closed === undefined) },
      /^session s of node b was never closed/,
    ],
    [
      'a device that is shown as online for too long',
      { ...SOUND, shown: [{ at: 11 + MINUTE, node: 'a', device: 'd', online: true }] },
      /^node a shows device d as online/,
    ],
    ['an acknowledged row that is gone', { ...SOUND, kept: new Set() }, /^the row of r was acknowledged and is lost/],
    ['a sealed recording that is gone', { ...SOUND, intact: new Set() }, /^the sealed recording of session s/],
    [
      'a session that lost a byte',
      { ...SOUND, outputs: [{ session: 'numbered', wanted: 'abc', got: 'abd' }] },
      /^the output of session numbered/,
    ],
  ])('names %s', (_, history, sentence) => {
    expect(violationsOf(history)).toContainEqual(expect.stringMatching(sentence))
  })
})
