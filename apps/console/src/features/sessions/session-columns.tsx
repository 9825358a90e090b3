// Columns of the session list: all that can be shown, and those that it shows at first.
import type { Session } from '@bowline/contract/schemas/session'
import { columnsChoice } from '../../ui/controls/columns-choice.ts'
import type { Column } from '../../ui/list/data-table.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { TIME_WIDTH } from '../../ui/text/time-style.ts'
import { sessionsMessages as texts } from './messages.ts'
import type { SessionsSearch } from './search.ts'
import { SessionDuration, SessionEnd, SessionTarget } from './session-cells.tsx'
import { SessionActivity, SessionAddress, SessionKey, SessionMethod, SessionPerson } from './session-identity.tsx'

const { columns } = texts

/** In the order in which they are shown. The first one is always visible. */
export const SESSION_COLUMNS: readonly Column<Session>[] = [
  { id: 'target', header: columns.target, sortBy: 'username', cell: (session) => <SessionTarget session={session} /> },
  { id: 'person', header: columns.person, sortBy: 'person', cell: (session) => <SessionPerson session={session} /> },
  { id: 'how', header: columns.how, cell: (session) => <SessionMethod session={session} /> },
  { id: 'key', header: columns.key, cell: ({ key }) => <SessionKey sessionKey={key} /> },
  {
    id: 'from',
    header: columns.from,
    sortBy: 'ip_address',
    cell: ({ ip_address: address }) => <SessionAddress address={address} />,
  },
  { id: 'client', header: columns.client, cell: ({ type }) => texts.types[type] },
  { id: 'activity', header: columns.activity, cell: (session) => <SessionActivity session={session} /> },
  {
    id: 'started',
    header: columns.started,
    sortBy: 'started_at',
    width: TIME_WIDTH,
    cell: (session) => <TimeAgo time={session.started_at} />,
  },
  {
    id: 'last-seen',
    header: columns.lastSeen,
    sortBy: 'last_seen',
    width: TIME_WIDTH,
    cell: (session) => <TimeAgo time={session.last_seen} />,
  },
  { id: 'duration', header: columns.duration, cell: (session) => <SessionDuration session={session} /> },
  { id: 'end', header: columns.end, cell: (session) => <SessionEnd session={session} /> },
]

const DEFAULT_COLUMNS = ['target', 'person', 'how', 'from', 'activity', 'started', 'duration', 'end']
const KEY = 'bowline.session-columns'
const choice = columnsChoice(SESSION_COLUMNS.map(({ id }) => id))

/** Columns of the address, else those that this browser showed last. */
export function visibleColumns({ cols }: Pick<SessionsSearch, 'cols'>): readonly string[] {
  return cols ? choice.sanitized(cols) : (choice.read(KEY) ?? DEFAULT_COLUMNS)
}

/** Keeps the choice for this browser. Undefined: back to the defaults. @returns the columns */
export function rememberColumns(ids: readonly string[] | undefined): readonly string[] {
  const chosen = ids ? choice.sanitized(ids) : DEFAULT_COLUMNS
  choice.write(KEY, chosen)
  return chosen
}
