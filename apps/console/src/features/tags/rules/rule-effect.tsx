// Preview of a rule below its form; the server evaluates it with the plan that applies rules.
import { TagRuleTrial, type TagRule, type TagRuleEffect } from '@bowline/contract/operations/fleet/tag-rules'
import { Tag } from '@bowline/contract/schemas/tag'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../../core/context.tsx'
import { describeError } from '../../../ui/feedback/describe-error.ts'
import { Text } from '../../../ui/kit.ts'
import { formatCount, formatList } from '../../../ui/text/numbers.ts'
import { ruleMessages } from './messages.ts'
import { ruleEffectQuery } from './queries.ts'

const texts = ruleMessages.effect
/** Long enough that a search typed quickly sends one request. */
const TYPING_MS = 250

interface RuleEffectProps {
  /** The rule that is changed; absent: a new one. */
  readonly rule?: TagRule | undefined
  /** As it is typed. */
  readonly values: { readonly tag: string; readonly query: string; readonly active: boolean }
}

export function RuleEffect({ rule, values }: RuleEffectProps) {
  const { api } = useRuntime()
  const tag = Tag.safeParse(values.tag).data
  const trial = { id: rule?.id, tag, query: values.query, active: values.active }
  const written = JSON.stringify(trial)
  const [asked] = useDebouncedValue(written, TYPING_MS)
  const { data, error } = useQuery(ruleEffectQuery(api, JSON.parse(asked)))
  // For what was sent, not for what is being typed.
  const isCurrent = written === asked && TagRuleTrial.safeParse(trial).success
  return (
    <Text component="output" display="block" size="sm" c="dimmed" mih="3em">
      {isCurrent && error ? texts.failed(describeError(error).cause) : null}
      {isCurrent && !error && data ? (
        <>
          {matches(data)}{' '}
          {data.matching > 0 ? (
            <Link to="/devices" search={{ q: values.query.trim() }} target="_blank">
              {texts.show}
            </Link>
          ) : null}
          <br />
          {tag === undefined ? null : saving(data, rule?.tag ?? tag)}
        </>
      ) : null}
    </Text>
  )
}

function matches({ matching, names }: TagRuleEffect): string {
  const more = matching - names.length
  return matching === 0
    ? texts.none
    : texts.some(matching, formatList(more > 0 ? [...names, texts.more(formatCount(more))] : names))
}

/** @param taken the tag that devices lose */
function saving({ tagged, untagged }: TagRuleEffect, taken: string): string {
  if (tagged > 0 && untagged > 0) return texts.both(tagged, taken, untagged)
  if (tagged > 0) return texts.tags(tagged)
  return untagged > 0 ? texts.takes(taken, untagged) : texts.nothing
}
