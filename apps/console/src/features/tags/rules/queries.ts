// Query of tag rules.
import { TagRuleTrial, tagRules } from '@bowline/contract/operations/fleet/tag-rules'
import { queryOptions, skipToken } from '@tanstack/react-query'
import type { Api } from '../../../auth/api.ts'
import { keys } from '../../../live/apply-events.ts'

/** Of tags, so that what changes tags refetches them too. */
export const TAG_RULES = [...keys.tags, 'rules'] as const

/** While rules are being applied. */
const PROGRESS_MS = 2_000

export function tagRulesQuery(api: Api) {
  return queryOptions({
    queryKey: TAG_RULES,
    queryFn: async ({ signal }) => (await api.call(tagRules.list, { signal })).body,
    refetchInterval: ({ state: { data } }) => (data && data.waiting > 0 ? PROGRESS_MS : false),
  })
}

/** Dry run of a rule. @param trial the form's values; no request is sent while the search is invalid */
export function ruleEffectQuery(api: Api, trial: unknown) {
  const body = TagRuleTrial.safeParse(trial).data
  return queryOptions({
    queryKey: [...TAG_RULES, 'effect', body],
    queryFn: body ? async ({ signal }) => (await api.call(tagRules.tryChange, { body, signal })).body : skipToken,
  })
}
