// History of the rules: each change with its author and time, and a button that restores the state before it.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import type { Rule } from '@bowline/contract/schemas/firewall'
import type { DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Button, Group, Skeleton, Text } from '../../ui/kit.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { ENTRIES_PER_PAGE, auditListQuery } from '../audit/queries.ts'
import { useMembers } from '../namespaces/use-members.ts'
import { useRestore } from './actions.ts'
import { Differences } from './differences.tsx'
import { type Restoring, changesOf, restoringOf } from './history.ts'
import { firewallMessages } from './messages.ts'
import type { LockoutGuard } from './use-lockout-guard.tsx'
import classes from './firewall.module.css'

const texts = firewallMessages.history

interface HistoryProps {
  /** All rules, in order. */
  readonly rules: readonly Rule[]
  readonly guard: LockoutGuard
}

interface HistoryDialogProps extends HistoryProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function HistoryDialog({ opened, onClose, ...history }: HistoryDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title} size="lg">
      <History {...history} />
    </Dialog>
  )
}

function History({ rules, guard }: HistoryProps) {
  const { api } = useRuntime()
  const [page, setPage] = useState(1)
  const list = useQuery(auditListQuery(api, { page, action: 'firewall-rule' }))
  if (list.isError) {
    return <ErrorPanel title={texts.loadFailed} error={list.error} onRetry={() => list.refetch()} />
  }
  if (!list.data) return <Skeleton height={200} />
  const { items, total } = list.data
  if (items.length === 0) return <Text size="sm">{texts.empty}</Text>
  return (
    <>
      <ul className={classes['history']}>
        {items.map((entry) => (
          <Entry key={entry.id} entry={entry} rules={rules} guard={guard} />
        ))}
      </ul>
      {total > ENTRIES_PER_PAGE ? (
        <Group justify="space-between">
          <Button variant="default" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {texts.newer}
          </Button>
          <Button variant="default" disabled={page * ENTRIES_PER_PAGE >= total} onClick={() => setPage(page + 1)}>
            {texts.older}
          </Button>
        </Group>
      ) : null}
    </>
  )
}

function Entry({ entry, rules, guard }: HistoryProps & { readonly entry: AuditEntry }) {
  const members = useMembers()
  const restore = useRestore()
  const may = { save: useMay('firewallEdit'), add: useMay('firewallCreate'), order: useMay('firewallEdit') }
  const restoring = restoringOf(entry, rules)
  const run = async (change: Restoring) => {
    if (await guard.ask(asChange(change))) await restore.run(change)
  }
  const verb = entry.action.split('.').at(-1) ?? ''
  const position = rules.findIndex(({ id }) => String(id) === entry.target)
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text size="sm" fw={550}>
            {texts.verbs[verb as keyof typeof texts.verbs] ?? entry.action}
            {position < 0 ? null : (
              <>
                {' '}
                <Link to="/firewall" search={{ edit: entry.target }}>
                  {firewallMessages.openNamed(position + 1)}
                </Link>
              </>
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {entry.actor.name === '' ? texts.nobody : entry.actor.name} · <TimeAgo time={entry.at} />
          </Text>
        </div>
        {restoring ? (
          <GatedButton
            size="xs"
            variant="default"
            may={may[restoring.kind]}
            why={firewallMessages.roleTooLow}
            onClick={() => void run(restoring)}
          >
            {texts.restore}
          </GatedButton>
        ) : null}
      </Group>
      <Differences list={changesOf(entry, members)} />
    </li>
  )
}

function asChange(restoring: Restoring): DryRunBody {
  switch (restoring.kind) {
    case 'save':
      return { id: restoring.before.id, rule: restoring.body }
    case 'add':
      return { rule: restoring.body }
    case 'order':
      return { order: [...restoring.order] }
  }
}
