// Makes the firewall rules those of a list, one change after the other; undo brings the earlier ones back.
import { firewall } from '@bowline/contract/operations/firewall'
import type { Rule } from '@bowline/contract/schemas/firewall'
import { type RuleChange, changesTo } from '@bowline/contract/schemas/policy/rule-changes'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { type Action, useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { AUDIT, QUEUE, bodyOf } from '../actions.ts'
import { ruleListQuery } from '../queries.ts'
import { fileMessages as texts } from './messages.ts'

interface Application {
  readonly changes: readonly RuleChange[]
  /** The rules before. */
  readonly before: readonly Rule[]
}

export function useApplyRules(): Action<Application> {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const done = useRef(0)

  function make(change: RuleChange): Promise<unknown> {
    if (change.kind === 'add') return api.call(firewall.create, { body: change.body })
    if (change.kind === 'remove') return api.call(firewall.remove, { params: { id: change.id } })
    return api.call(firewall.update, { params: { id: change.id }, body: change.body })
  }
  async function makeAll(changes: readonly RuleChange[]): Promise<void> {
    done.current = 0
    for (const change of changes) {
      await make(change)
      done.current += 1
    }
  }
  return useAction({
    queue: QUEUE,
    call: ({ changes }: Application) => makeAll(changes),
    done: ({ changes }) => texts.applied(changes.length),
    failed: ({ changes }) => texts.failed(done.current, changes.length),
    async undo({ before }) {
      const now = await queryClient.fetchQuery(ruleListQuery(api))
      const ids = new Set(now.map(({ id }) => id))
      const wanted = before.map((rule) => ({ ...bodyOf(rule), ...(ids.has(rule.id) ? { id: rule.id } : {}) }))
      await makeAll(changesTo(now, wanted))
    },
    invalidates: [keys.firewall, AUDIT],
  })
}
