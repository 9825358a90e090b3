// State of an audit stream: how far it is, and why it does not go on.
import { LIMITS } from '@bowline/contract/limits'
import type { AuditStream } from '@bowline/contract/operations/fleet/audit-streams'
import { serverText } from '../../platform/language/server-text.ts'
import { Badge } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import classes from '../alerts/alerts.module.css'
import { streamMessages as texts } from './messages.ts'

/** Colours of the badges of alert rules. */
const COLOURS = { done: 'active', sending: 'active', failing: 'failing', paused: 'off' } as const

export function StreamState({ stream }: { readonly stream: AuditStream }) {
  const { behind, answer, failing_since: failingSince, disabled_reason: reason } = stream
  const state = stateOf(stream)
  const colour = reason === null ? COLOURS[state] : 'disabled'
  return (
    <div>
      <Badge
        variant="default"
        tt="none"
        fw={550}
        miw="max-content"
        data-state={colour}
        className={classes['state'] ?? ''}
      >
        {texts.states[state]}
      </Badge>
      {reason === null ? null : <span className={classes['reason']}>{texts.disabled(serverText(reason))}</span>}
      {state === 'failing' && failingSince !== null ? (
        <span className={classes['reason']}>
          {serverText(answer)} {texts.failingSince} <TimeAgo time={failingSince} />
        </span>
      ) : null}
      {behind === 0 ? null : <span className={classes['reason']}>{behindOf(behind)}</span>}
    </div>
  )
}

function stateOf({ active, behind, failing_since }: AuditStream): keyof typeof texts.states {
  if (!active) return 'paused'
  if (failing_since !== null) return 'failing'
  return behind === 0 ? 'done' : 'sending'
}

function behindOf(count: number): string {
  return count < LIMITS.auditStreams.behind ? texts.behind(count) : texts.behindMany(formatCount(count))
}
