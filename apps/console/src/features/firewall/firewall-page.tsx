// The firewall page: rules in evaluation order, and a tester.
import type { Rule, Verdict } from '@bowline/contract/schemas/firewall'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { FileJson, History, Plus, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useDialogFile } from '../../core/use-dialog-file.ts'
import { pageFile } from '../../platform/page-files.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Group, Skeleton } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { ReorderList } from '../../ui/list/reorder-list.tsx'
import { bodyOf, useRuleActions } from './actions.ts'
import { HistoryDialog } from './history-dialog.tsx'
import { firewallMessages as texts } from './messages.ts'
import { shadows } from './order.ts'
import { ruleListQuery } from './queries.ts'
import { RuleDialog } from './rule-dialog.tsx'
import { RuleRow } from './rule-row.tsx'
import { Tester } from './tester.tsx'
import { useLockoutGuard } from './use-lockout-guard.tsx'
import classes from './firewall.module.css'

const route = getRouteApi('/app/firewall')
const loadFile = pageFile(() => import('./as-code/rules-file-dialog.tsx'))

export function FirewallPage() {
  const { edit, file, history } = route.useSearch()
  const { api } = useRuntime()
  const navigate = useNavigate()
  const query = useQuery(ruleListQuery(api))
  const actions = useRuleActions()
  const mayAdd = useMay('firewallCreate')
  const mayEdit = useMay('firewallEdit')
  const mayRemove = useMay('firewallRemove')
  const maySeeHistory = useMay('auditRead')
  const [verdict, setVerdict] = useState<Verdict>()
  const guard = useLockoutGuard()
  const open = (next: string | undefined) =>
    void navigate({ to: '/firewall', search: next === undefined ? {} : { edit: next }, replace: next === undefined })
  const isFileOpen = file === 'yes' && mayEdit && query.data !== undefined
  const fileDialog = useDialogFile(loadFile, isFileOpen, () => open(undefined))
  const rules = query.data ?? []
  const index = rules.findIndex(({ id }) => String(id) === edit)
  const shadowedBy = shadows(rules)
  const move = async (from: number, to: number) => {
    const ids = rules.map(({ id }) => id)
    const order = ids.toSpliced(from, 1).toSpliced(to, 0, ...ids.slice(from, from + 1))
    if (await guard.ask({ order })) actions.move(from, to)
  }
  const remove = async (rule: Rule) => {
    if (await guard.ask({ id: rule.id })) await actions.remove.run(rule)
  }
  const turn = async (rule: Rule, order: number, active: boolean) => {
    const body = { ...bodyOf(rule), active }
    if (!(await guard.ask({ id: rule.id, rule: body }))) return
    const done = active ? texts.switchedOn(order) : texts.switchedOff(order)
    await actions.save.run({ before: rule, body, done })
  }
  const add = (
    <GatedButton
      may={mayAdd}
      why={texts.roleTooLow}
      leftSection={<Plus size={16} aria-hidden />}
      onClick={() => open('new')}
    >
      {texts.add}
    </GatedButton>
  )
  const actionsOfPage = (
    <Group gap="xs">
      <GatedButton
        variant="default"
        may={maySeeHistory}
        why={texts.history.roleTooLow}
        leftSection={<History size={16} aria-hidden />}
        onClick={() => void navigate({ to: '/firewall', search: { history: 'yes' } })}
      >
        {texts.history.button}
      </GatedButton>
      <GatedButton
        variant="default"
        may={mayEdit}
        why={texts.roleTooLow}
        leftSection={<FileJson size={16} aria-hidden />}
        onClick={() => void navigate({ to: '/firewall', search: { file: 'yes' } })}
      >
        {texts.asFile}
      </GatedButton>
      {add}
    </Group>
  )
  return (
    <Page title={texts.title} actions={actionsOfPage}>
      <p className={classes['intro']}>{texts.intro}</p>
      <div className={classes['layout']}>
        <div>
          {query.isError ? (
            <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
          ) : null}
          {query.isPending ? <Skeleton height={200} /> : null}
          {query.data?.length === 0 ? (
            <EmptyState icon={<ShieldCheck size={24} />} title={texts.empty} text={texts.emptyText}>
              {add}
            </EmptyState>
          ) : null}
          {rules.length ? (
            <>
              <ReorderList
                label={texts.tableLabel}
                items={rules}
                itemKey={({ id }) => String(id)}
                handleLabel={(at) => texts.handle(at + 1, rules.length)}
                marked={verdict?.rule === null ? undefined : String(verdict?.rule)}
                onMove={mayEdit ? (from, to) => void move(from, to) : undefined}
                renderItem={(rule, at) => (
                  <RuleRow
                    rule={rule}
                    index={at}
                    total={rules.length}
                    shadowedBy={shadowedBy[at]}
                    mayEdit={mayEdit}
                    mayRemove={mayRemove}
                    onMove={(to) => void move(at, to)}
                    onRemove={() => void remove(rule)}
                    onSwitch={(active) => void turn(rule, at + 1, active)}
                  />
                )}
              />
              <p className={classes['last']}>
                {texts.last}: {texts.lastText}.
              </p>
            </>
          ) : null}
        </div>
        <Tester rules={rules} onVerdict={setVerdict} />
      </div>
      <RuleDialog
        edited={edit === 'new' && query.data ? 'new' : index < 0 ? undefined : index}
        rules={rules}
        guard={guard}
        onClose={() => open(undefined)}
      />
      <HistoryDialog
        opened={history === 'yes' && maySeeHistory && query.data !== undefined}
        rules={rules}
        guard={guard}
        onClose={() => open(undefined)}
      />
      {fileDialog ? (
        <fileDialog.RulesFileDialog opened={isFileOpen} rules={rules} guard={guard} onClose={() => open(undefined)} />
      ) : null}
      {guard.dialog}
    </Page>
  )
}
