// Columns of the list of access requests.
import type { AccessRequest } from '@bowline/contract/operations/fleet/access-requests'
import { Link } from '@tanstack/react-router'
import { Badge, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import type { Column } from '../../ui/list/data-table.tsx'
import { formatDuration } from '../../ui/text/numbers.ts'
import { useNow } from '../../ui/text/ticker.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { formatMinutes } from './durations.ts'
import { accessMessages as texts } from './messages.ts'
import { nameOfTarget } from './names.ts'

export const REQUEST_COLUMNS: readonly Column<AccessRequest>[] = [
  {
    id: 'who',
    header: texts.columns.who,
    cell: ({ requester, created_at: at }) => (
      <div>
        <span className={cells['primary']}>{requester.name}</span>
        <Aside>
          <TimeAgo time={at} />
        </Aside>
      </div>
    ),
  },
  {
    id: 'what',
    header: texts.columns.what,
    cell: (request) => (
      <div>
        <Target request={request} />
        <Aside>
          {texts.as(request.accounts.join(', '))} · {texts.asked(formatMinutes(request.minutes))}
        </Aside>
      </div>
    ),
  },
  {
    id: 'reason',
    header: texts.columns.reason,
    cell: ({ reason, note }) => (
      <div>
        {reason}
        {note === '' ? null : <Aside>{texts.note(note)}</Aside>}
      </div>
    ),
    block: true,
  },
  { id: 'state', header: texts.columns.state, cell: (request) => <State request={request} /> },
]

function Target({ request }: { readonly request: AccessRequest }) {
  const uid = request.device?.uid
  if (!uid) return <>{nameOfTarget(request)}</>
  return (
    <Link to="/devices/$uid" params={{ uid }}>
      {nameOfTarget(request)}
    </Link>
  )
}

/** The state, who brought it about, and the time that is left. */
function State({ request }: { readonly request: AccessRequest }) {
  const now = useNow()
  const { state, expires_at: expires, pending_until: until, decided_by: decided, ended_by: ended } = request
  const by = state === 'ended' || state === 'withdrawn' ? ended : decided
  const end = state === 'active' ? expires : state === 'pending' ? until : null
  const facts = [
    ...(by ? [texts.by(by.name)] : []),
    ...(end === null ? [] : [texts.left(formatDuration(Date.parse(end) - now))]),
  ]
  return (
    <div>
      <Badge variant="default" tt="none" fw={550} miw="max-content">
        {texts.states[state]}
      </Badge>
      {facts.length > 0 ? <Aside>{facts.join(' · ')}</Aside> : null}
    </div>
  )
}

function Aside({ children }: { readonly children: React.ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  )
}
