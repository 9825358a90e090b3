// The effect of a change on the sessions of the last days, before it is made.
import type { Rule } from '@bowline/contract/schemas/firewall'
import type { DryRun } from '@bowline/contract/schemas/policy/dry-run'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Text } from '../../ui/kit.ts'
import { formatMoment } from '../../ui/text/numbers.ts'
import { firewallMessages } from './messages.ts'
import classes from './firewall.module.css'

const texts = firewallMessages.dryRun

interface DryRunResultProps {
  readonly result: DryRun
  /** All rules, in order. */
  readonly rules: readonly Rule[]
}

export function DryRunResult({ result, rules }: DryRunResultProps) {
  const { sessions, complete, blocked, allowed, caller, others } = result
  return (
    <Callout tone={caller.cut_off > 0 ? 'warn' : 'note'}>
      <output>
        <Text component="span" display="block" size="sm">
          {texts.effect(blocked.sessions, allowed.sessions, sessions)}
        </Text>
        {complete ? null : (
          <Text component="span" display="block" size="sm">
            {texts.incomplete}
          </Text>
        )}
        {caller.cut_off > 0 ? (
          <Text component="span" display="block" size="sm">
            {texts.cutsOff(caller.cut_off, caller.devices, others)}
          </Text>
        ) : null}
      </output>
      <Examples title={texts.blocked} effect={blocked} rules={rules} />
      <Examples title={texts.allowed} effect={allowed} rules={rules} />
    </Callout>
  )
}

interface ExamplesProps {
  readonly title: string
  readonly effect: DryRun['blocked']
  readonly rules: readonly Rule[]
}

function Examples({ title, effect, rules }: ExamplesProps) {
  if (effect.examples.length === 0) return null
  const deciding = ({ rule, proposed }: (typeof effect.examples)[number]): string => {
    if (proposed) return texts.byThis
    const index = rules.findIndex(({ id }) => id === rule)
    return index < 0 ? firewallMessages.byNone : firewallMessages.byRule(index + 1)
  }
  return (
    <details>
      <summary>{texts.examples(title, effect.examples.length, effect.sessions)}</summary>
      <ul className={classes['examples']}>
        {effect.examples.map((one) => (
          <li key={one.session}>
            {`${one.username}@${one.device.name}`} · {one.person?.name ?? texts.unknown} · {one.address} ·{' '}
            {formatMoment(one.started_at)} · {deciding(one)}
          </li>
        ))}
      </ul>
    </details>
  )
}
