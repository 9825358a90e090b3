// Billing problems for the overview.
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { useNow } from '../../ui/text/ticker.ts'
import { infoQuery } from '../instance/queries.ts'
import { billingMessages as texts } from './messages.ts'
import { graceDays, isOverLimit } from './plan.ts'
import { standingQuery } from './queries.ts'

/** Whether the server has billing, and its warning for the namespace; undefined: there is none. */
export function useBillingAttention(): { readonly isCloud: boolean; readonly warning: string | undefined } {
  const { api } = useRuntime()
  const nowMs = useNow()
  const { data: info } = useQuery(infoQuery(api))
  const isCloud = info?.edition === 'cloud'
  const { data: standing } = useQuery({ ...standingQuery(api), enabled: isCloud })
  if (!standing) return { isCloud, warning: undefined }
  const { attention } = texts
  if (isOverLimit(standing)) {
    const days = graceDays(standing, nowMs)
    return { isCloud, warning: standing.can_connect && days > 0 ? attention.grace(days) : attention.refused }
  }
  return { isCloud, warning: standing.status === 'past_due' ? attention.pastDue : undefined }
}
