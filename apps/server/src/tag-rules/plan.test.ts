import { expect, it } from 'vitest'
import { planTags } from './plan.ts'

it.each([
  ['gives a tag', { tags: [], rule_tags: [], wanted: ['a'] }, [['a'], ['a']]],
  ['takes its own tag away', { tags: ['a'], rule_tags: ['a'], wanted: [] }, [[], []]],
  ['leaves the tag of a person', { tags: ['a'], rule_tags: [], wanted: [] }, [['a'], []]],
  ['makes no tag of a person its own', { tags: ['a'], rule_tags: [], wanted: ['a'] }, [['a'], []]],
  ['has the room that people leave', { tags: ['x', 'y'], rule_tags: [], wanted: ['a', 'b'] }, [['x', 'y', 'a'], ['a']]],
  ['has no room', { tags: ['x', 'y', 'z'], rule_tags: [], wanted: ['a'] }, [['x', 'y', 'z'], []]],
  [
    'keeps what it has given',
    { tags: ['c'], rule_tags: ['c'], wanted: ['a', 'b', 'c', 'd'] },
    [
      ['c', 'a', 'b'],
      ['c', 'a', 'b'],
    ],
  ],
  ['gives a tag again that a person took', { tags: [], rule_tags: ['a'], wanted: ['a'] }, [['a'], ['a']]],
  ['gives a tag of two rules once', { tags: [], rule_tags: [], wanted: ['a', 'a'] }, [['a'], ['a']]],
])('a rule %s', (_, device, expected) => {
  const { tags, rule_tags } = planTags(device)
  expect([tags, rule_tags]).toEqual(expected)
})
