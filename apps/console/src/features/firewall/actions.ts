// Changes firewall rules optimistically; the server's answer corrects the list, and each change can be undone.
import { firewall } from '@bowline/contract/operations/firewall'
import type { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import { useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { type Action, type FormAction, useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import type { Restoring } from './history.ts'
import { firewallMessages as texts } from './messages.ts'
import { inOrder } from './order.ts'

interface RuleChange {
  readonly before: Rule
  readonly body: RuleBody
  /** The sentence on success. */
  readonly done: string
}

interface RuleMove {
  readonly from: number
  readonly to: number
  /** Ids of all rules, in order. */
  readonly before: readonly number[]
  readonly after: readonly number[]
}

export interface RuleActions {
  readonly add: FormAction<RuleBody>
  readonly save: Action<RuleChange>
  readonly remove: Action<Rule>
  /** Moves the rule at one index to another. */
  readonly move: (from: number, to: number) => void
}

/** Changes of rules and of their order are sent in the order in which they were made. */
export const QUEUE = 'firewall'
const INVALIDATES = [keys.firewall]
/** Queries of the audit log. */
export const AUDIT = ['audit'] as const

export function bodyOf(rule: Rule): RuleBody {
  const { id: _, tenant_id: __, ...body } = rule
  return body
}

/** A rule as a change leaves it. */
export function shown(rule: Rule, body: RuleBody): Rule {
  const { source_networks = rule.source_networks, people = rule.people, roles = rule.roles } = body
  return { ...rule, ...body, source_networks, people, roles }
}

/** Brings back what an earlier change has replaced. */
export function useRestore(): Action<Restoring> {
  const { api } = useRuntime()
  return useAction({
    queue: QUEUE,
    call(change: Restoring): Promise<unknown> {
      if (change.kind === 'add') return api.call(firewall.create, { body: change.body })
      if (change.kind === 'order') return api.call(firewall.setOrder, { body: { rules: [...change.order] } })
      return api.call(firewall.update, { params: { id: change.before.id }, body: change.body })
    },
    done: texts.history.restored,
    failed: texts.history.restoreFailed,
    invalidates: [keys.firewall, AUDIT],
  })
}

export function useRuleActions(): RuleActions {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const create = (body: RuleBody) => api.call(firewall.create, { body })

  /** Updates the cached list before the server answers. */
  async function show(change: (rules: Rule[]) => Rule[]): Promise<undefined> {
    await queryClient.cancelQueries({ queryKey: keys.firewall })
    queryClient.setQueryData<Rule[]>(keys.firewall, (rules) => rules && change(rules))
  }

  const put = useAction({
    queue: QUEUE,
    optimistic: ({ id, body }: { id: number; body: RuleBody }) =>
      show((rules) => inOrder(rules.map((rule) => (rule.id === id ? shown(rule, body) : rule)))),
    call: ({ id, body }: { id: number; body: RuleBody }) => api.call(firewall.update, { params: { id }, body }),
    invalidates: INVALIDATES,
  })
  const putOrder = useAction({
    queue: QUEUE,
    optimistic(ids: readonly number[]) {
      const position = new Map(ids.map((id, index) => [id, index]))
      return show((rules) => rules.toSorted((a, b) => (position.get(a.id) ?? -1) - (position.get(b.id) ?? -1)))
    },
    call: (ids: readonly number[]) => api.call(firewall.setOrder, { body: { rules: [...ids] } }),
    invalidates: INVALIDATES,
  })

  const add = useAction({ call: create, done: texts.added, invalidates: INVALIDATES })
  const save = useAction({
    call: ({ before: { id }, body }: RuleChange) => put.send({ id, body }),
    done: ({ done }) => done,
    failed: texts.saveFailed,
    undo: ({ before }) => put.send({ id: before.id, body: bodyOf(before) }),
  })
  const remove = useAction({
    call: ({ id }: Rule) => api.call(firewall.remove, { params: { id } }),
    done: texts.removed,
    failed: texts.removeFailed,
    undo: (rule) => create(bodyOf(rule)),
    invalidates: INVALIDATES,
  })
  const reorder = useAction({
    call: ({ after }: RuleMove) => putOrder.send(after),
    done: ({ from, to }) => texts.moved(from + 1, to + 1),
    failed: texts.moveFailed,
    undo: ({ before }) => putOrder.send(before),
  })

  function move(from: number, to: number): void {
    const before = (queryClient.getQueryData<Rule[]>(keys.firewall) ?? []).map(({ id }) => id)
    const moved = before[from]
    if (moved === undefined) return
    void reorder.run({ from, to, before, after: before.toSpliced(from, 1).toSpliced(to, 0, moved) })
  }
  return { add, save, remove, move }
}
