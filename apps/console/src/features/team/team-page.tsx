// Members and API keys of the namespace.
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../../core/context.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { ApiKeysTab } from './api-keys-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { teamMessages as texts } from './messages.ts'
import { SaveMembers } from './save-members.tsx'
import type { TeamSearch } from './search.ts'

const route = getRouteApi('/app/team')

export function TeamPage() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const mayAddMember = useMay('namespaceAddMember')
  const mayAddKey = useMay('apiKeyCreate')
  const isKeys = search.tab === 'keys'
  const open = (next: Partial<TeamSearch>, replace = false) =>
    void navigate({ to: '/team', search: { ...search, ...next }, replace })
  const tab = (key: TeamSearch['tab']) => ({
    key,
    label: texts.tabs[key],
    active: search.tab === key,
    render: (inner: ReactNode, properties: { className: string }) => (
      <Link to="/team" search={{ tab: key }} {...properties}>
        {inner}
      </Link>
    ),
  })
  return (
    <Page
      title={texts.title}
      actions={
        <>
          {isKeys ? null : <SaveMembers />}
          <GatedButton
            may={isKeys ? mayAddKey : mayAddMember}
            why={texts.roleTooLow}
            leftSection={<Plus size={16} aria-hidden />}
            onClick={() => open({ add: 'yes' })}
          >
            {isKeys ? texts.addKey : texts.addMember}
          </GatedButton>
        </>
      }
    >
      <TabBar label={texts.tabsLabel} tabs={[tab('members'), tab('keys')]} />
      {isKeys ? <ApiKeysTab search={search} onOpen={open} /> : <MembersTab search={search} onOpen={open} />}
    </Page>
  )
}
