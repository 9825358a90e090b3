// Access requests: those of everybody for whoever may decide them, and their own for everybody.
import type { AccessRequest } from '@bowline/contract/operations/fleet/access-requests'
import { useQuery } from '@tanstack/react-query'
import { Link, getRouteApi } from '@tanstack/react-router'
import { DoorOpen, Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button, Group, Switch, Text } from '../../ui/kit.ts'
import { PagedTable } from '../../ui/list/paged-table.tsx'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { Page } from '../../ui/page/page.tsx'
import { namespaceQuery } from '../namespaces/queries.ts'
import { AskDialog } from './ask-dialog.tsx'
import { ApproveDialog, DenyDialog } from './decide-dialogs.tsx'
import { accessMessages as texts } from './messages.ts'
import { REQUESTS_PER_PAGE, accessRequestsQuery } from './queries.ts'
import { RequestActions } from './request-actions.tsx'
import { REQUEST_COLUMNS } from './request-columns.tsx'
import { ACCESS_TABS, type AccessRequestsSearch } from './search.ts'

const route = getRouteApi('/app/access-requests')

export function AccessRequestsPage() {
  const search = route.useSearch()
  const { api } = useRuntime()
  const navigate = route.useNavigate()
  const mayDecide = useMay('firewallEdit')
  const tenant = usePerson()?.tenant ?? ''
  const { data: namespace } = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })
  const list = useQuery(accessRequestsQuery(api, search))
  const [approving, setApproving] = useState<AccessRequest>()
  const [denying, setDenying] = useState<AccessRequest>()
  const choose = useCallback(
    (change: Partial<AccessRequestsSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  )
  const isOn = namespace?.settings.access_requests !== false
  const hours = namespace?.settings.access_request_hours ?? 1
  const ask = isOn ? (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => choose({ device: 'tag' })}>
      {texts.askTagged}
    </Button>
  ) : null
  return (
    <Page title={texts.title} actions={ask}>
      <Text size="sm" c="dimmed" mb="md">
        {texts.intro}
      </Text>
      {isOn ? null : <Callout tone="note">{texts.off}</Callout>}
      <Tabs search={search}>
        {mayDecide ? (
          <Group justify="flex-end" pb="xs">
            <Switch
              label={texts.mine}
              checked={search.mine === 'yes'}
              onChange={(event) => choose({ mine: event.currentTarget.checked ? 'yes' : undefined, page: 1 })}
            />
          </Group>
        ) : null}
      </Tabs>
      <PagedTable
        label={texts.tableLabel}
        list={list}
        failed={texts.loadFailed}
        columns={REQUEST_COLUMNS}
        rowKey={({ id }) => id}
        renderActions={(request) => <RequestActions request={request} onApprove={setApproving} onDeny={setDenying} />}
        page={search.page}
        perPage={REQUESTS_PER_PAGE}
        onPageGone={(page) => choose({ page })}
        renderPageLink={(page, children, label, className) => (
          <Link to="/access-requests" search={{ ...search, page }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
        empty={<EmptyState icon={<DoorOpen size={24} />} title={texts.empty[search.state]} text={texts.emptyText} />}
      />
      <AskDialog
        about={namespace && isOn ? search.device : undefined}
        hours={hours}
        onClose={() => choose({ device: undefined })}
      />
      <ApproveDialog request={approving} hours={hours} onClose={() => setApproving(undefined)} />
      <DenyDialog request={denying} onClose={() => setDenying(undefined)} />
    </Page>
  )
}

interface TabsProps {
  readonly search: AccessRequestsSearch
  readonly children: React.ReactNode
}

function Tabs({ search, children }: TabsProps) {
  const tabs = ACCESS_TABS.map((state) => ({
    key: state,
    label: texts.tabs[state],
    active: state === search.state,
    render: (inner: React.ReactNode, properties: { className: string }) => (
      <Link to="/access-requests" search={{ ...search, state, page: 1 }} {...properties}>
        {inner}
      </Link>
    ),
  }))
  return (
    <TabBar label={texts.tabsLabel} tabs={tabs}>
      {children}
    </TabBar>
  )
}
