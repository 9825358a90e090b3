// Invoices of the subscription, with links to the provider's pages.
import type { Subscription } from '@bowline/contract/schemas/billing'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Badge, Text } from '../../ui/kit.ts'
import cells from '../../ui/list/cells.module.css'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { billingMessages as texts } from './messages.ts'
import { formatDay, formatMoney } from './money.ts'
import { subscriptionQuery } from './queries.ts'

type Invoice = Subscription['invoices'][number]

const dayOf = ({ created }: Invoice): string => formatDay(created * 1_000)
const { invoiceColumns: columns } = texts

const COLUMNS: readonly Column<Invoice>[] = [
  { id: 'date', header: columns.date, cell: (invoice) => dayOf(invoice) },
  {
    id: 'amount',
    header: columns.amount,
    cell: ({ amount, currency }) => <span className={cells['number']}>{formatMoney(amount, currency)}</span>,
  },
  {
    id: 'state',
    header: columns.state,
    cell: ({ status }) => <Badge variant="default">{texts.invoiceStates[status]}</Badge>,
  },
  {
    id: 'link',
    header: columns.link,
    cell: (invoice) =>
      /^https?:/.test(invoice.url) ? (
        <a href={invoice.url} target="_blank" rel="noreferrer" aria-label={texts.invoiceLinkNamed(dayOf(invoice))}>
          {texts.invoiceLink}
        </a>
      ) : null,
  },
]

export function InvoicesCard() {
  const { api } = useRuntime()
  const subscription = useQuery(subscriptionQuery(api))
  const invoices = subscription.data === undefined ? undefined : (subscription.data?.invoices ?? [])
  return (
    <SectionCard title={texts.invoices}>
      {subscription.isError && !invoices ? (
        <ErrorPanel title={texts.invoicesFailed} error={subscription.error} onRetry={() => subscription.refetch()} />
      ) : (
        <DataTable
          label={texts.invoices}
          columns={COLUMNS}
          rows={invoices}
          rowKey={({ id }) => id}
          empty={
            <Text size="sm" c="dimmed" p="sm">
              {texts.noInvoices}
            </Text>
          }
        />
      )}
    </SectionCard>
  )
}
