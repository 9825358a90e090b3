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
  const { sessions, complete, blocked, allowed, caller } = result
  const isCutOff = caller.cut_off > 0 || caller.lost > 0
  return (
    <Callout tone={isCutOff ? 'warn' : 'note'}>
      <output>
        <Text component="span" display="block" size="sm">
          {texts.effect(blocked.sessions, allowed.sessions, sessions)}
        </Text>
        {complete ? null : (
          <Text component="span" display="block" size="sm">
            {texts.incomplete}
          </Text>
        )}
        {isCutOff ? (
          <Text component="span" display="block" size="sm">
            {cutOffText(result)}
          </Text>
        ) : null}
      </output>
      <Examples title={texts.blocked} effect={blocked} rules={rules} />
      <Examples title={texts.allowed} effect={allowed} rules={rules} />
    </Callout>
  )
}

/** Devices that whoever makes the change loses: of those reached lately, or of all that are reachable now; and who else. */
export function cutOffText({ caller, others, blocked }: DryRun): string {
  const { cut_off, devices, lost, reachable } = caller
  const known = cut_off > 0 ? texts.cutsOff(cut_off, devices, others) : texts.loses(lost, reachable, others)
  return blocked.addresses > 0 ? `${known} ${texts.blocksUnknown(blocked.addresses)}` : known
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
