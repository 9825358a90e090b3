// Makes, changes and deletes tag rules; each can be undone.
import { type TagRule, type TagRuleBody, tagRules } from '@bowline/contract/operations/fleet/tag-rules'
import type { z } from 'zod'
import { useRuntime } from '../../../core/context.tsx'
import { type Action, type FormAction, useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { ruleMessages as texts } from './messages.ts'

type Body = z.output<typeof TagRuleBody>

interface RuleChange {
  readonly before: TagRule
  readonly body: Body
}

interface RuleActions {
  readonly add: FormAction<Body, TagRule>
  readonly save: FormAction<RuleChange>
  readonly remove: Action<TagRule>
}

const bodyOf = ({ tag, query, active }: TagRule): Body => ({ tag, query, active })

export function useRuleActions(): RuleActions {
  const { api } = useRuntime()
  const create = async (body: Body) => (await api.call(tagRules.create, { body })).body
  const put = ({ id }: TagRule, body: Body) => api.call(tagRules.update, { params: { id }, body })
  const drop = ({ id }: TagRule) => api.call(tagRules.remove, { params: { id } })
  // The rules are of the tags: their list and those of tags are fetched again.
  const invalidates = [keys.tags]
  const add = useAction({
    call: create,
    done: ({ tag }) => texts.added(tag),
    undo: (_, rule) => drop(rule),
    invalidates,
  })
  const save = useAction({
    call: ({ before, body }: RuleChange) => put(before, body),
    done: ({ body }) => texts.saved(body.tag),
    undo: ({ before }) => put(before, bodyOf(before)),
    invalidates,
  })
  const remove = useAction({
    call: drop,
    done: ({ tag }) => texts.removed(tag),
    failed: ({ tag }) => texts.removeFailed(tag),
    undo: (rule) => create(bodyOf(rule)),
    invalidates,
  })
  return { add, save, remove }
}
