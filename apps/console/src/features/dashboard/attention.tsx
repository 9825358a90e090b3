// Lists what needs attention, with links; renders nothing when there is nothing.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import type { ListPage } from '../../live/apply-events.ts'
import { Title } from '../../ui/kit.ts'
import { formatCount } from '../../ui/text/numbers.ts'
import { useNow } from '../../ui/text/ticker.ts'
import { deviceListQuery, statsQuery } from '../../core/devices/queries.ts'
import { useBillingAttention } from '../billing/use-attention.ts'
import { certificateMessages } from '../certificates/messages.ts'
import { certificatesQuery } from '../certificates/queries.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { sessionListQuery } from '../sessions/queries.ts'
import { sessionFilter } from '../sessions/search.ts'
import { expiresSoon } from '../team/expiry.ts'
import { allApiKeysQuery } from '../team/queries.ts'
import { yesterday } from './days.ts'
import { dashboardMessages as texts } from './messages.ts'
import classes from './dashboard.module.css'

const { attention } = texts
/** Warn from this share of the namespace's device limit. */
const NEARLY_FULL = 0.9

interface AttentionItem {
  readonly text: string
  readonly link: Pick<LinkProps, 'to' | 'search'>
}

export function Attention() {
  const items = useAttentionItems()
  if (items.length === 0) return null
  return (
    <section aria-label={attention.title} className={classes['attention']}>
      <Title order={2}>{attention.title}</Title>
      <ul className={classes['matters']}>
        {items.map(({ text, link }) => (
          <li key={text}>
            <CircleAlert size={16} aria-hidden />
            <Link {...link}>{text}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** An item whose query failed is left out: the lists themselves report the failure. */
function useAttentionItems(): readonly AttentionItem[] {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const nowMs = useNow()
  const from = yesterday(nowMs)
  const refused = useQuery(
    sessionListQuery(api, { page: 1, perPage: 1, filter: sessionFilter({ state: 'refused', from }) }),
  )
  const lost = useQuery(
    deviceListQuery(api, {
      status: 'accepted',
      page: 1,
      perPage: 1,
      sort: 'last_seen',
      order: 'desc',
      words: '',
      presence: 'offline',
      seenSince: from,
    }),
  )
  const apiKeys = useQuery(allApiKeysQuery(api))
  const { data: namespace } = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })
  const { data: stats } = useQuery(statsQuery(api))
  const billing = useBillingAttention()
  const isAdmin = usePerson()?.instance_admin === true
  const certificates = useQuery({ ...certificatesQuery(api), enabled: isAdmin, refetchInterval: false })
  const ending = certificates.data?.certificates.flatMap(({ use, state }) =>
    state === 'valid' ? [] : [{ use, state }],
  )
  const expiring = apiKeys.data?.filter((key) => expiresSoon(key, nowMs)) ?? []
  const used = namespace && namespace.max_devices > 0 ? namespace.device_count / namespace.max_devices : 0
  const plan = billing.isCloud ? '/settings/billing' : '/settings'
  return [
    ...(billing.warning === undefined ? [] : [{ text: billing.warning, link: { to: plan } as const }]),
    ...(ending ?? []).map(({ use, state }) => ({
      text: `${certificateMessages.uses[use]}: ${certificateMessages.warnings[state]}`,
      link: { to: '/instance/certificates' } as const,
    })),
    ...attentionItem(stats?.containers.pending ?? 0, attention.containers, {
      to: '/containers',
      search: { status: 'pending' },
    }),
    ...attentionItem(totalOf(lost), attention.lost, { to: '/devices', search: { presence: 'offline' } }),
    ...attentionItem(totalOf(refused), attention.refused, { to: '/sessions', search: { state: 'refused', from } }),
    ...attentionItem(expiring.length, (count) => attention.expiring(count, expiring[0]?.name ?? ''), {
      to: '/team',
      search: { tab: 'keys' },
    }),
    ...(namespace && used >= NEARLY_FULL && billing.warning === undefined
      ? [
          {
            text: attention.full(formatCount(namespace.device_count), namespace.max_devices),
            link: { to: plan } as const,
          },
        ]
      : []),
  ]
}

function attentionItem(
  count: number,
  text: (count: number) => string,
  link: AttentionItem['link'],
): readonly AttentionItem[] {
  return count > 0 ? [{ text: text(count), link }] : []
}

function totalOf({ data }: UseQueryResult<ListPage<unknown>>): number {
  return data?.total ?? 0
}
