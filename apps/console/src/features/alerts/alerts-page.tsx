// Alert rules of the namespace, with the messages of each.
import { type AlertRule, alerts } from '@bowline/contract/operations/fleet/alerts'
import { useQuery } from '@tanstack/react-query'
import { BellRing, KeyRound, Lock, Pencil, Plus, Power, ScrollText, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { serverText } from '../../platform/language/server-text.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Badge, Button, Text } from '../../ui/kit.ts'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Page } from '../../ui/page/page.tsx'
import { formatCount } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import cells from '../../ui/list/cells.module.css'
import { DeliveriesDialog } from './deliveries-dialog.tsx'
import type { Measure } from '../health/messages.ts'
import { formatMeasure } from '../health/values.ts'
import { alertsMessages as texts } from './messages.ts'
import { ALERTS, alertsQuery } from './queries.ts'
import { AddRule, EditRule, RenewSecret } from './rule-dialogs.tsx'
import classes from './alerts.module.css'

const COLUMNS: readonly Column<AlertRule>[] = [
  { id: 'name', header: texts.columns.name, cell: ({ name }) => <span className={cells['primary']}>{name}</span> },
  { id: 'condition', header: texts.columns.condition, cell: conditionOf },
  {
    id: 'devices',
    header: texts.columns.devices,
    cell: ({ tags, filter }) => [...tags, ...(filter === '' ? [] : [texts.someDevices])].join(', ') || texts.allDevices,
    wideOnly: true,
  },
  { id: 'target', header: texts.columns.target, cell: targetOf },
  { id: 'state', header: texts.columns.state, cell: (rule) => <State rule={rule} /> },
  {
    id: 'fired',
    header: texts.columns.fired,
    cell: ({ fired_at: at }) => (at === null ? texts.never : <TimeAgo time={at} />),
    wideOnly: true,
  },
]

export function AlertsPage() {
  const { api } = useRuntime()
  const may = useMay('namespaceUpdate')
  const list = useQuery({ ...alertsQuery(api), enabled: may })
  const [isAdding, setAdding] = useState(false)
  const [editing, setEditing] = useState<AlertRule>()
  const [reading, setReading] = useState<AlertRule>()
  const [renewing, setRenewing] = useState<AlertRule>()
  const [removing, setRemoving] = useState<AlertRule>()
  const actions = useRuleActions()
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  return (
    <Page
      title={texts.title}
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      {list.isError && !list.data ? (
        <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} />
      ) : (
        <DataTable
          label={texts.tableLabel}
          columns={COLUMNS}
          rows={list.data}
          rowKey={({ id }) => id}
          renderActions={(rule) => (
            <>
              <RowAction label={texts.logNamed(rule.name)} hint={texts.log} onClick={() => setReading(rule)}>
                <ScrollText size={15} aria-hidden />
              </RowAction>
              <RowAction label={texts.testNamed(rule.name)} hint={texts.test} onClick={() => void actions.test(rule)}>
                <Send size={15} aria-hidden />
              </RowAction>
              <RowAction
                label={texts.switchNamed(rule.name, !rule.active)}
                hint={rule.active ? texts.switchOff : texts.switchOn}
                onClick={() => void actions.switchTo(rule, !rule.active)}
              >
                <Power size={15} aria-hidden />
              </RowAction>
              {rule.target === 'webhook' ? (
                <RowAction label={texts.renewNamed(rule.name)} hint={texts.renew} onClick={() => setRenewing(rule)}>
                  <KeyRound size={15} aria-hidden />
                </RowAction>
              ) : null}
              <RowAction label={texts.editNamed(rule.name)} hint={texts.edit} onClick={() => setEditing(rule)}>
                <Pencil size={15} aria-hidden />
              </RowAction>
              <RowAction label={texts.removeNamed(rule.name)} hint={texts.remove} onClick={() => setRemoving(rule)}>
                <Trash2 size={15} aria-hidden />
              </RowAction>
            </>
          )}
          empty={<EmptyState icon={<BellRing size={24} />} title={texts.empty} text={texts.emptyText} />}
        />
      )}
      <AddRule opened={isAdding} onClose={() => setAdding(false)} />
      <EditRule rule={editing} onClose={() => setEditing(undefined)} />
      <RenewSecret rule={renewing} onClose={() => setRenewing(undefined)} />
      <DeliveriesDialog rule={reading} onClose={() => setReading(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={texts.removeTitle(removing?.name ?? '')}
        action={texts.remove}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void actions.remove(removing)}
      >
        <Text size="sm">{texts.removeText}</Text>
      </Confirm>
    </Page>
  )
}

function useRuleActions() {
  const { api } = useRuntime()
  const invalidates = [ALERTS]
  const test = useAction({
    call: ({ id }: AlertRule) => api.call(alerts.test, { params: { id } }),
    done: texts.tested,
    failed: texts.testFailed,
    invalidates,
  })
  const change = useAction({
    call: ({ rule, active }: { rule: AlertRule; active: boolean }) =>
      api.call(alerts.update, { params: { id: rule.id }, body: { active } }),
    done: ({ rule, active }) => texts.switched(rule.name, active),
    failed: ({ rule }) => texts.switchFailed(rule.name),
    invalidates,
  })
  const remove = useAction({
    call: ({ id }: AlertRule) => api.call(alerts.remove, { params: { id } }),
    done: ({ name }) => texts.removed(name),
    failed: ({ name }) => texts.removeFailed(name),
    invalidates,
  })
  return {
    test: test.run,
    switchTo: (rule: AlertRule, active: boolean) => change.run({ rule, active }),
    remove: remove.run,
  }
}

interface RowActionProps {
  readonly label: string
  readonly hint: string
  readonly onClick: () => void
  readonly children: React.ReactNode
}

/** The page is for those who may. */
function RowAction(props: RowActionProps) {
  return <GatedAction may why="" {...props} />
}

function State({ rule: { active, failing_since, disabled_reason } }: { readonly rule: AlertRule }) {
  const state = !active
    ? disabled_reason === null
      ? 'off'
      : 'disabled'
    : failing_since === null
      ? 'active'
      : 'failing'
  const { states } = texts
  return (
    <>
      <Badge variant="default" tt="none" fw={550} data-state={state} className={classes['state'] ?? ''}>
        {states[state === 'disabled' ? 'off' : state]}
      </Badge>
      {disabled_reason === null ? null : (
        <span className={classes['reason']}>{texts.disabled(serverText(disabled_reason))}</span>
      )}
      {state === 'failing' && failing_since !== null ? (
        <span className={classes['reason']}>
          {texts.failingSince} <TimeAgo time={failing_since} />
        </span>
      ) : null}
    </>
  )
}

const MEASURES_OF: Readonly<Partial<Record<AlertRule['condition'], Measure>>> = {
  disk: 'disk',
  memory: 'memory',
  load: 'load',
  latency: 'latency_ms',
}

function conditionOf({ condition, minutes, devices, threshold }: AlertRule): string {
  const measure = MEASURES_OF[condition]
  const value = measure ? formatMeasure(measure, threshold ?? 0) : formatCount(devices ?? 0)
  return texts.conditions[condition](texts.minutes(minutes), value)
}

function targetOf({ target, host, recipients }: AlertRule): string {
  if (target === 'mail') return texts.members(recipients.length)
  return target === 'slack' ? texts.slack(host) : host
}
