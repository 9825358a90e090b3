// Changing firewall rules. The list changes at once, is put right by the server, and each change can be taken back.
import { firewall } from '@bowline/contract/operations/firewall'
import type { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import { useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../app/context.tsx'
import { keys } from '../../live/apply-events.ts'
import { notifyDone, notifyFailure } from '../../ui/notify.tsx'
import { firewallMessages as texts } from './messages.ts'
import { inOrder, planMove } from './order.ts'

export interface RuleActions {
  /** @throws what the call threw: the form shows it */
  add(body: RuleBody): Promise<void>
  /** @throws what the call threw */
  save(before: Rule, body: RuleBody, done: string): Promise<void>
  /** As `save` for a change of the list itself; a failure has been shown when it resolves. */
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
  const put = async (id: number, body: RuleBody) => void (await api.call(firewall.update, { params: { id }, body }))
  const show = (changed: ReadonlyMap<number, RuleBody>) =>
    queryClient.setQueryData<Rule[]>(
      keys.firewall,
      (rules) => rules && inOrder(rules.map((rule) => ({ ...rule, ...changed.get(rule.id) }))),
    )

  /** Shows the rules as they will be, then makes the calls one after the other. */
  async function putAll(changes: readonly (readonly [Rule, RuleBody])[]): Promise<void> {
    await queryClient.cancelQueries({ queryKey: keys.firewall })
    show(new Map(changes.map(([{ id }, body]) => [id, body])))
    try {
      for (const [{ id }, body] of changes) await put(id, body)
    } finally {
      await reload()
    }
  }

  async function save(before: Rule, body: RuleBody, done: string): Promise<void> {
    await putAll([[before, body]])
    notifyDone({ title: done, onUndo: () => putAll([[before, bodyOf(before)]]) })
  }

  async function change(before: Rule, body: RuleBody, done: string): Promise<void> {
    await save(before, body, done).catch((error: unknown) => {
      notifyFailure({ title: texts.saveFailed, error, onRetry: () => void change(before, body, done) })
    })
  }

  async function move(from: number, to: number): Promise<void> {
    const rules = queryClient.getQueryData<Rule[]>(keys.firewall) ?? []
    const plan = planMove(rules, from, to)
    if (!plan) {
      notifyFailure({ title: texts.moveFailed, error: new RangeError(texts.noRoom) })
      return
    }
    const steps = plan.flatMap(({ id, priority }) => {
      const rule = rules.find((each) => each.id === id)
      return rule ? [{ rule, body: { ...bodyOf(rule), priority } }] : []
    })
    if (steps.length === 0) return
    try {
      await putAll(steps.map(({ rule, body }) => [rule, body] as const))
      // Taken back in the opposite order, so that nothing else changes its place on the way.
      const back = steps.toReversed().map(({ rule }) => [rule, bodyOf(rule)] as const)
      notifyDone({ title: texts.moved(from + 1, to + 1), onUndo: () => putAll(back) })
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
