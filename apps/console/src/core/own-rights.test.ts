import type { LiveEvent } from '@bowline/contract/schemas/event'
import { describe, expect, it } from 'vitest'
import { makeUserAuth } from '../testing/answers.ts'
import { makeNamespace } from '../testing/fixtures.ts'
import { mayChangeRights } from './own-rights.ts'

const [member] = makeNamespace().members
if (!member) throw new Error('the namespace of the tests has members')
const changed: LiveEvent = { type: 'member.changed', member }
const me = makeUserAuth({ id: member.id, role: member.role, grants: [] })

describe('what a person may do', () => {
  it('is asked for again when their membership changes, also where their role is the same', () => {
    expect(mayChangeRights(changed, me)).toBe(true)
    expect(mayChangeRights(changed, { ...me, id: 'somebody else' })).toBe(false)
  })

  it('is asked for again after changes of everything, where roles of the namespace give it', () => {
    const helper = { ...me, grants: [{ permissions: ['sessionPlay'], tags: ['kiosk'] }] }
    expect([mayChangeRights({ type: 'reset' }, helper), mayChangeRights({ type: 'reset' }, me)]).toEqual([true, false])
    expect(mayChangeRights({ type: 'policy.changed' }, helper)).toBe(false)
  })
})
