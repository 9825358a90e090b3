// The plan in words, and the ways to another one.
import type { BillingStanding } from '@bowline/contract/schemas/billing'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Group, Text } from '../../ui/kit.ts'
import { Fact } from '../../ui/page/facts.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { useNow } from '../../ui/text/ticker.ts'
import { billingMessages as texts } from './messages.ts'
import { formatPrice } from './money.ts'
import { describePlan, maySubscribe } from './plan.ts'
import { customerQuery, leaveForProvider } from './queries.ts'
import { SubscribeDialog } from './subscribe-dialog.tsx'
import classes from './billing.module.css'

export function PlanCard({ standing }: { readonly standing: BillingStanding }) {
  const { api } = useRuntime()
  const isOwner = useMay('billingCreateSubscription')
  const { data: customer } = useQuery({ ...customerQuery(api), enabled: isOwner })
  const plan = describePlan(standing, useNow())
  const { devices, limit, billed_devices: billed } = standing
  const used = formatCount(devices)
  return (
    <SectionCard title={texts.plan}>
      <dl className={classes['facts']}>
        <Fact name={texts.state}>{plan.state}</Fact>
        <Fact name={texts.devices}>{limit > 0 ? texts.used(used, formatCount(limit)) : texts.usedUnlimited(used)}</Fact>
        {billed === null || !standing.active ? null : <Fact name={texts.billed}>{formatCount(billed)}</Fact>}
        {customer?.price ? <Fact name={texts.price}>{formatPrice(customer.price)}</Fact> : null}
      </dl>
      <Callout tone={plan.isUrgent ? 'warn' : 'note'} title={texts.next}>
        {plan.next}
      </Callout>
      <PlanActions standing={standing} isOwner={isOwner} />
    </SectionCard>
  )
}

interface PlanActionsProps {
  readonly standing: BillingStanding
  readonly isOwner: boolean
}

function PlanActions({ standing, isOwner }: PlanActionsProps) {
  const { api } = useRuntime()
  const { data: customer } = useQuery({ ...customerQuery(api), enabled: isOwner })
  const [isAsked, setAsked] = useState(false)
  const leave = useAction({
    call: (flow: 'payment_method' | undefined) => leaveForProvider(api, flow),
    failed: texts.portalFailed,
  })
  const gate = { may: isOwner, why: texts.ownerOnly }
  const hasCard = customer?.payment_methods.some((method) => method.default) === true
  return (
    <>
      {maySubscribe(standing) && !hasCard ? (
        <Text size="sm" c="dimmed" mt="sm">
          {texts.subscribeNeedsCard}
        </Text>
      ) : null}
      <Group gap="xs" mt="sm">
        {maySubscribe(standing) ? (
          <GatedButton {...gate} onClick={() => (hasCard ? setAsked(true) : void leave.run('payment_method'))}>
            {hasCard ? texts.subscribe : texts.addMethod}
          </GatedButton>
        ) : null}
        {customer ? (
          <GatedButton {...gate} variant="default" onClick={() => void leave.run(undefined)}>
            {texts.portal}
          </GatedButton>
        ) : null}
      </Group>
      {customer ? (
        <Text size="xs" c="dimmed" mt={4}>
          {texts.portalHint}
        </Text>
      ) : null}
      <SubscribeDialog
        opened={isAsked}
        price={customer?.price ?? null}
        devices={standing.devices}
        onClose={() => setAsked(false)}
      />
    </>
  )
}
