// Pending access requests among the contents of the bell.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../../core/context.tsx'
import { Text } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import bell from './pending-bell.module.css'
import { accessMessages as texts } from '../../access-requests/messages.ts'
import { nameOfTarget } from '../../access-requests/names.ts'
import { accessRequestsQuery } from '../../access-requests/queries.ts'

const SHOWN = 3
const PENDING = { state: 'pending', page: 1 } as const

interface PendingRequestsProps {
  /** A link was followed. */
  readonly onLeave: () => void
}

export function PendingRequests({ onLeave }: PendingRequestsProps) {
  const { api } = useRuntime()
  const { data } = useQuery(accessRequestsQuery(api, { ...PENDING, mine: undefined }, SHOWN))
  if (!data) return null
  return (
    <section aria-label={texts.title}>
      <h2 className={bell['head']}>{texts.title}</h2>
      {data.total === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {texts.empty.pending}
        </Text>
      ) : null}
      <ul className={bell['list']}>
        {data.items.map((request) => (
          <li key={request.id} className={bell['item']}>
            <div className={bell['text']}>
              <Link to="/access-requests" className={bell['name']} onClick={onLeave}>
                {texts.asks(request.requester.name, nameOfTarget(request))}
              </Link>
              <div className={bell['facts']}>
                {request.reason} · <TimeAgo time={request.created_at} />
              </div>
            </div>
          </li>
        ))}
      </ul>
      {data.total > data.items.length ? (
        <Link to="/access-requests" className={bell['all']} onClick={onLeave}>
          {texts.all(formatCount(data.total))}
        </Link>
      ) : null}
    </section>
  )
}
