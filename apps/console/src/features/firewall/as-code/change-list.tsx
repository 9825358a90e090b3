// The changes of rules that a file would make, part by part.
import type { Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import type { RuleChange } from '@bowline/contract/schemas/policy/rule-changes'
import { TenantId } from '@bowline/contract/schemas/common'
import { Text } from '../../../ui/kit.ts'
import { usePerson } from '../../../core/context.tsx'
import { useMembers } from '../../namespaces/use-members.ts'
import { shown } from '../actions.ts'
import { Differences } from '../differences.tsx'
import { differences } from '../history.ts'
import { firewallMessages } from '../messages.ts'
import { fileMessages as texts } from './messages.ts'
import classes from '../firewall.module.css'

interface ChangeListProps {
  readonly changes: readonly RuleChange[]
  /** The present rules, in order. */
  readonly rules: readonly Rule[]
}

export function ChangeList({ changes, rules }: ChangeListProps) {
  const members = useMembers()
  const tenant = usePerson()?.tenant ?? ''
  if (changes.length === 0) return <Text size="sm">{texts.same}</Text>
  return (
    <section aria-label={texts.changes}>
      <ul className={classes['history']}>
        {changes.map((change) => {
          const id = change.kind === 'add' ? undefined : change.id
          const index = rules.findIndex((rule) => rule.id === id)
          const before = rules[index]
          const after = change.kind === 'remove' ? undefined : asRule(change.body, tenant, before)
          const name = before
            ? `${texts.kinds[change.kind]}: ${firewallMessages.openNamed(index + 1)}`
            : texts.kinds.add
          return (
            <li key={JSON.stringify(change)}>
              <Text size="sm" fw={550}>
                {name}
              </Text>
              <Differences list={differences(before, after, members)} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function asRule(body: RuleBody, tenant: string, before: Rule | undefined): Rule {
  const none = { source_networks: [], people: [], roles: [] }
  return shown(before ?? { id: 0, tenant_id: TenantId.parse(tenant), ...body, ...none }, body)
}
