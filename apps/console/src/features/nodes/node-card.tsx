// One node: whether it runs, since when, and what it carries.
import type { ServerNode } from '@bowline/contract/operations/instance'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Stack } from '../../ui/kit.ts'
import { Fact } from '../../ui/page/facts.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatMoment } from '../../ui/text/numbers.ts'
import { nodeMessages as texts } from './messages.ts'
import classes from './nodes.module.css'

interface NodeCardProps {
  readonly node: ServerNode
}

export function NodeCard({ node }: NodeCardProps) {
  const { id, address, version, state, links, sessions, is_this: isThis } = node
  const { facts } = texts
  const text = [...(isThis ? [texts.isThis] : []), ...(address === '' ? [texts.alone] : [])].join(' ')
  return (
    <SectionCard title={id} {...(text === '' ? {} : { text })}>
      <Stack gap="sm">
        {state === 'alive' ? null : (
          <Callout tone={state === 'draining' ? 'note' : 'warn'} title={texts.warnings[state]}>
            {texts.warningTexts[state]}
          </Callout>
        )}
        <dl className={classes['facts']}>
          <Fact name={facts.state}>{texts.states[state]}</Fact>
          {address === '' ? null : <Fact name={facts.address}>{address}</Fact>}
          <Fact name={facts.version}>{version}</Fact>
          <Moment name={facts.started} time={node.started_at} />
          <Moment name={facts.heartbeat} time={node.heartbeat_at} />
          <Fact name={facts.links}>{String(links)}</Fact>
          <Fact name={facts.sessions}>{String(sessions)}</Fact>
        </dl>
      </Stack>
    </SectionCard>
  )
}

function Moment({ name, time }: { readonly name: string; readonly time: string }) {
  return (
    <Fact name={name}>
      <time dateTime={time}>{formatMoment(time)}</time>
    </Fact>
  )
}
