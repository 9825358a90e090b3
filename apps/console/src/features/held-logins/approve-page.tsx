// Page on which a person approves or denies an SSH login that waits for them.
import { ApiError } from '@bowline/contract/client'
import { heldLogins } from '@bowline/contract/operations/held-logins'
import type { HeldLogin } from '@bowline/contract/schemas/held-login'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Skeleton, Stack, Text } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { useCountdown } from '../../ui/text/ticker.ts'
import classes from './approve-page.module.css'
import { heldLoginMessages as texts, whoOf } from './messages.ts'
import { heldLoginQuery } from './queries.ts'

const route = getRouteApi('/app/approve/$code')

export function ApprovePage() {
  const { code } = route.useParams()
  return <Approval key={code} code={code} />
}

function Approval({ code }: { readonly code: string }) {
  const { api } = useRuntime()
  const [outcome, setOutcome] = useState<string>()
  const { data, error, isPending, refetch } = useQuery({ ...heldLoginQuery(api, code), enabled: outcome === undefined })
  const left = Math.ceil(useCountdown(outcome === undefined ? (data?.deadline ?? 0) : 0) / 1_000)
  const isGone = (error instanceof ApiError && error.status === 404) || (data !== undefined && left === 0)
  return (
    <Page title={texts.title}>
      <Stack gap="md" maw={560}>
        {outcome === undefined ? null : (
          <Callout tone="note" urgent>
            {outcome}
          </Callout>
        )}
        {outcome === undefined && isGone ? <Callout tone="note">{texts.gone}</Callout> : null}
        {outcome === undefined && error && !isGone ? (
          <ErrorPanel title={texts.loadFailed} error={error} onRetry={() => refetch()} />
        ) : null}
        {isPending ? <Skeleton height={240} /> : null}
        {outcome === undefined && data && !isGone ? <Decision login={data} left={left} onDecided={setOutcome} /> : null}
      </Stack>
    </Page>
  )
}

interface DecisionProps {
  readonly login: HeldLogin
  /** Seconds. */
  readonly left: number
  readonly onDecided: (outcome: string) => void
}

function Decision({ login, left, onDecided }: DecisionProps) {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const { code, source, place, key, hours } = login
  const decide = useAction({
    call: async (approved: boolean) => {
      await api.call(approved ? heldLogins.approve : heldLogins.deny, { params: { code } })
      onDecided(approved ? texts.approved : texts.denied)
      void queryClient.invalidateQueries({ queryKey: keys.heldLogins })
    },
    failed: texts.decideFailed,
  })
  const facts = [
    [texts.facts.code, code],
    [texts.facts.device, login.device_name],
    [texts.facts.account, login.username],
    [texts.facts.namespace, login.namespace],
    [texts.facts.key, key === '' ? texts.password : key],
    [texts.facts.source, `${source} (${place === '' ? texts.unknownPlace : place})`],
    [texts.facts.left, texts.seconds(left)],
  ] as const
  return (
    <SectionCard title={texts.question(whoOf(login))} text={texts.warning}>
      <dl className={classes['facts']}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm" mt="sm">
        {texts.window(hours)}
      </Text>
      <Group justify="flex-end" mt="sm">
        <Button variant="default" loading={decide.isPending} onClick={() => void decide.run(false)}>
          {texts.deny}
        </Button>
        <Button loading={decide.isPending} onClick={() => void decide.run(true)}>
          {texts.approve}
        </Button>
      </Group>
    </SectionCard>
  )
}
