// The way from the settings to billing, where the server has it.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { infoQuery } from '../instance/queries.ts'
import { billingMessages as texts } from './messages.ts'

export function BillingCard() {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  if (info?.edition !== 'cloud') return null
  return (
    <SectionCard id="billing" title={texts.title} text={texts.text}>
      <Link to="/settings/billing">{texts.open}</Link>
    </SectionCard>
  )
}
