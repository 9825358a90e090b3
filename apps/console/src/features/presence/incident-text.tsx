// An incident in one line, and whether it is over.
import type { Incident } from '@bowline/contract/operations/fleet/presence'
import { Badge } from '../../ui/kit.ts'
import { formatCount, formatDuration, formatList } from '../../ui/text/numbers.ts'
import { presenceMessages } from './messages.ts'
import classes from './presence.module.css'

const texts = presenceMessages.incidents

export function incidentLine({ kind, devices, examples, network, started_at, last_at }: Incident): string {
  const names = formatList(examples)
  if (kind === 'server') return texts.lineOfServer(devices, names)
  const lasted = Date.parse(last_at) - Date.parse(started_at)
  const over = devices > 1 ? formatDuration(Math.max(1_000, lasted)) : undefined
  return texts.line(devices, names, network ?? undefined, over)
}

export function IncidentStateBadge({ incident }: { readonly incident: Incident }) {
  const { ended_at, started_at, away, devices } = incident
  if (ended_at === null) {
    return (
      <Badge variant="default" tt="none" fw={550} className={classes['away'] ?? ''}>
        {texts.away(formatCount(away), devices)}
      </Badge>
    )
  }
  const lasted = formatDuration(Date.parse(ended_at) - Date.parse(started_at))
  return (
    <Badge variant="default" tt="none" fw={500}>
      {devices === 1 ? texts.resolvedOne(lasted) : texts.resolved(lasted)}
    </Badge>
  )
}
