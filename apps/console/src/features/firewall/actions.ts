// Changes firewall rules optimistically; the server's answer corrects the list, and each change can be undone.
import { firewall } from '@bowline/contract/operations/firewall'
import type { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { keys } from '../../live/apply-events.ts'
import { notifyDone, notifyFailure } from '../../ui/feedback/notify.tsx'
import { firewallMessages as texts } from './messages.ts'
import { inOrder } from './order.ts'

export interface RuleActions {
  /** @throws the call's error: the form shows it */
  add(body: RuleBody): Promise<void>
  /** @throws the call's error */
  save(before: Rule, body: RuleBody, done: string): Promise<void>
  /** Like `save` for changes from the list itself; a failure has been shown when it resolves. */
  change(before: Rule, body: RuleBody, done: string): Promise<void>
  /** Moves the rule at one index to another; a failure has been shown when it resolves. */
  move(from: number, to: number): Promise<void>
  remove(rule: Rule): Promise<void>
}

export function bodyOf({ action, active, filter, priority, source_ip, username }: Rule): RuleBody {
  return { action, active, filter, priority, source_ip, username }
}

export function useRuleActions(): RuleActions {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: keys.firewall })
  /** Resolves when the last requested order has been applied. */
  const ordering = useRef<Promise<void>>(Promise.resolve())

  /** Updates the cache optimistically, then makes the call. */
  async function put(id: number, body: RuleBody): Promise<void> {
    await queryClient.cancelQueries({ queryKey: keys.firewall })
    queryClient.setQueryData<Rule[]>(
      keys.firewall,
      (rules) => rules && inOrder(rules.map((rule) => (rule.id === id ? { ...rule, ...body } : rule))),
    )
    try {
      await api.call(firewall.update, { params: { id }, body })
    } finally {
      await reload()
    }
  }

  async function save(before: Rule, body: RuleBody, done: string): Promise<void> {
    await put(before.id, body)
    notifyDone({ title: done, onUndo: () => put(before.id, bodyOf(before)) })
  }

  async function change(before: Rule, body: RuleBody, done: string): Promise<void> {
    await save(before, body, done).catch((error: unknown) => {
      notifyFailure({ title: texts.saveFailed, error, onRetry: () => void change(before, body, done) })
    })
  }

  /** Reorders optimistically, then on the server: of several pending orders the last one wins. */
  async function setOrder(ids: readonly number[]): Promise<void> {
    await queryClient.cancelQueries({ queryKey: keys.firewall })
    const position = new Map(ids.map((id, index) => [id, index]))
    queryClient.setQueryData<Rule[]>(keys.firewall, (rules) =>
      rules?.toSorted((a, b) => (position.get(a.id) ?? -1) - (position.get(b.id) ?? -1)),
    )
    const before = ordering.current
    const mine = before.then(() => api.call(firewall.setOrder, { body: { rules: [...ids] } }))
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    ordering.current = settled
    try {
      await mine
    } finally {
      if (ordering.current === settled) await reload()
    }
  }

  async function move(from: number, to: number): Promise<void> {
    const before = (queryClient.getQueryData<Rule[]>(keys.firewall) ?? []).map(({ id }) => id)
    const moved = before[from]
    if (moved === undefined) return
    try {
      await setOrder(before.toSpliced(from, 1).toSpliced(to, 0, moved))
      notifyDone({ title: texts.moved(from + 1, to + 1), onUndo: () => setOrder(before) })
    } catch (error) {
      notifyFailure({ title: texts.moveFailed, error })
    }
  }

  async function add(body: RuleBody): Promise<void> {
    await api.call(firewall.create, { body })
    await reload()
  }

  async function remove(rule: Rule): Promise<void> {
    try {
      await api.call(firewall.remove, { params: { id: rule.id } })
      await reload()
      notifyDone({ title: texts.removed, onUndo: () => add(bodyOf(rule)) })
    } catch (error) {
      notifyFailure({ title: texts.removeFailed, error, onRetry: () => void remove(rule) })
    }
  }

  return {
    move,
    remove,
    save,
    change,
    async add(body) {
      await add(body)
      notifyDone({ title: texts.added })
    },
  }
}
