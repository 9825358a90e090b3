// Billing of the namespace, in the cloud edition: plan, payment methods, invoices, and the choice of devices.
import { useQuery } from '@tanstack/react-query'
import { CreditCard } from 'lucide-react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack } from '../../ui/kit.ts'
import { BackLink } from '../../ui/page/back-link.tsx'
import { Page } from '../../ui/page/page.tsx'
import { infoQuery } from '../instance/queries.ts'
import { InvoicesCard } from './invoices-card.tsx'
import { billingMessages as texts } from './messages.ts'
import { MethodsCard } from './methods-card.tsx'
import { OverLimit } from './over-limit.tsx'
import { PlanCard } from './plan-card.tsx'
import { standingQuery } from './queries.ts'

export function BillingPage() {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const isOwner = useMay('billingGetSubscription')
  const isCloud = info?.edition === 'cloud'
  const standing = useQuery({ ...standingQuery(api), enabled: isCloud })
  return (
    <Page title={texts.title} trail={<BackLink to="/settings" label={texts.back} />}>
      {info && !isCloud ? (
        <EmptyState icon={<CreditCard size={24} />} title={texts.notCloud} text={texts.notCloudText} />
      ) : null}
      {standing.isError && !standing.data ? (
        <ErrorPanel title={texts.loadFailed} error={standing.error} onRetry={() => standing.refetch()} />
      ) : null}
      {isCloud && standing.isPending ? <Skeleton height={240} /> : null}
      {standing.data ? (
        <Stack gap="md" maw={760}>
          <OverLimit standing={standing.data} />
          <PlanCard standing={standing.data} />
          {isOwner ? (
            <>
              <MethodsCard />
              <InvoicesCard />
            </>
          ) : (
            <Callout tone="note">{texts.ownerSees}</Callout>
          )}
        </Stack>
      ) : null}
    </Page>
  )
}
