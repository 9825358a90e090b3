// Messages of an alert rule with what became of them, the newest first.
import type { AlertDelivery, AlertRule } from '@bowline/contract/operations/fleet/alerts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { serverText } from '../../platform/language/server-text.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Badge, Button, Group, Skeleton, Text } from '../../ui/kit.ts'
import { formatMoment } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { alertsMessages } from './messages.ts'
import { DELIVERIES_PER_PAGE, deliveriesQuery } from './queries.ts'
import classes from './alerts.module.css'

const texts = alertsMessages.deliveries

interface DeliveriesDialogProps {
  readonly rule: AlertRule | undefined
  readonly onClose: () => void
}

export function DeliveriesDialog({ rule, onClose }: DeliveriesDialogProps) {
  return (
    <Dialog opened={rule !== undefined} onClose={onClose} title={texts.title(rule?.name ?? '')} size="lg">
      {rule ? <Deliveries id={rule.id} /> : null}
    </Dialog>
  )
}

function Deliveries({ id }: { readonly id: string }) {
  const { api } = useRuntime()
  const [page, setPage] = useState(1)
  const list = useQuery(deliveriesQuery(api, id, page))
  if (list.isError && !list.data) {
    return <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} />
  }
  if (!list.data) return <Skeleton height={160} />
  const { items, total } = list.data
  if (total === 0) return <Text size="sm">{texts.empty}</Text>
  return (
    <>
      <ul className={classes['deliveries']}>
        {items.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      {total > DELIVERIES_PER_PAGE ? (
        <Group justify="space-between">
          <Button variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {texts.newer}
          </Button>
          <Button variant="default" disabled={page * DELIVERIES_PER_PAGE >= total} onClick={() => setPage(page + 1)}>
            {texts.older}
          </Button>
        </Group>
      ) : null}
    </>
  )
}

function Delivery({ delivery }: { readonly delivery: AlertDelivery }) {
  const { text, state, attempts, answer, test, created_at, due_at } = delivery
  const facts = [
    ...(attempts > 0 ? [texts.attempts(attempts)] : []),
    ...(answer === '' ? [] : [serverText(answer)]),
    ...(state === 'queued' && attempts > 0 && due_at !== null ? [`${texts.next} ${formatMoment(due_at)}`] : []),
  ]
  return (
    <li>
      <span className={classes['what']}>{text}</span>
      <span className={classes['facts']}>
        {test ? (
          <Badge variant="default" tt="none" fw={500}>
            {texts.test}
          </Badge>
        ) : null}
        <Badge variant="default" tt="none" fw={550} data-state={state} className={classes['state'] ?? ''}>
          {texts.states[state]}
        </Badge>
        <Text size="xs" c="dimmed" component="span">
          <TimeAgo time={created_at} />
          {facts.length > 0 ? ` · ${facts.join(' · ')}` : ''}
        </Text>
      </span>
    </li>
  )
}
