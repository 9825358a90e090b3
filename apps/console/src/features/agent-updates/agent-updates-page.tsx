// Updates of the namespace's agents: what runs, the policy, and the rollout of the newest release.
import type { AgentUpdates } from '@bowline/contract/schemas/fleet/agent-update'
import { useQuery } from '@tanstack/react-query'
import { CircleArrowUp } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Skeleton, Stack, Text, Title } from '../../ui/kit.ts'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Fact, FactColumns, Facts } from '../../ui/page/facts.tsx'
import { Page } from '../../ui/page/page.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { serverText } from '../../platform/language/server-text.ts'
import { agentUpdateMessages as texts } from './messages.ts'
import { PolicyForm, clockTime } from './policy-form.tsx'
import { agentUpdatesQuery } from './queries.ts'
import { RolloutCard } from './rollout-card.tsx'

type Used = AgentUpdates['fleet'][number]

const COLUMNS: readonly Column<Used>[] = [
  {
    id: 'release',
    header: texts.columns.release,
    cell: ({ release }) => (release === 0 ? texts.unsigned : String(release)),
  },
  { id: 'devices', header: texts.columns.devices, cell: ({ devices }) => formatCount(devices) },
]

export function AgentUpdatesPage() {
  const { api } = useRuntime()
  const updates = useQuery(agentUpdatesQuery(api))
  return (
    <Page title={texts.title}>
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      {updates.isError && !updates.data ? (
        <ErrorPanel title={texts.loadFailed} error={updates.error} onRetry={() => updates.refetch()} />
      ) : null}
      {updates.isPending ? <Skeleton height={240} /> : null}
      {updates.data ? <Content updates={updates.data} /> : null}
    </Page>
  )
}

function Content({ updates }: { readonly updates: AgentUpdates }) {
  const { fleet, obstacles } = updates
  return (
    <Stack gap="lg">
      <FactColumns>
        <Policy updates={updates} />
        <RolloutCard updates={updates} />
      </FactColumns>
      <Title order={2}>{texts.fleetTitle}</Title>
      <DataTable
        label={texts.fleetLabel}
        columns={COLUMNS}
        rows={fleet}
        rowKey={({ release }) => String(release)}
        empty={<EmptyState icon={<CircleArrowUp size={24} />} title={texts.noReports} text={texts.noReportsText} />}
      />
      {obstacles.length > 0 ? (
        <div>
          <Title order={2}>{texts.obstaclesTitle}</Title>
          {obstacles.map(({ reason, devices }) => (
            <Text key={reason} size="sm">
              {texts.obstacle(devices, serverText(reason))}
            </Text>
          ))}
        </div>
      ) : null}
    </Stack>
  )
}

function Policy({ updates: { available, unavailable, policy } }: { readonly updates: AgentUpdates }) {
  const [isChanging, setChanging] = useState(false)
  const { mode, canary_tag: tag, window } = policy
  const change = (
    <GatedButton
      size="xs"
      variant="default"
      may={useMay('agentUpdate')}
      why={texts.roleTooLow}
      onClick={() => setChanging(true)}
    >
      {texts.change}
    </GatedButton>
  )
  return (
    <>
      <Facts title={texts.policyTitle} actions={change}>
        <Fact name={texts.available}>
          {available === null
            ? texts.none(serverText(unavailable))
            : texts.release(available.release, available.version)}
        </Fact>
        <Fact name={texts.labels.mode}>{texts.modes[mode]}</Fact>
        <Fact name={texts.first}>{tag === null ? texts.tenthFirst : texts.tagged(tag)}</Fact>
        <Fact name={texts.window}>
          {window === null ? texts.always : texts.windowOf(clockTime(window.start), window.minutes)}
        </Fact>
      </Facts>
      <PolicyForm policy={policy} opened={isChanging} onClose={() => setChanging(false)} />
    </>
  )
}
