// Members, roles and API keys of the namespace.
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '../../core/context.tsx'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { Page } from '../../ui/page/page.tsx'
import { TabBar } from '../../ui/list/tab-bar.tsx'
import { rolesMessages } from '../roles/messages.ts'
import { RolesTab } from '../roles/roles-tab.tsx'
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
  const mayAddRole = useMay('namespaceEditMember')
  const adding = {
    members: { may: mayAddMember, text: texts.addMember },
    roles: { may: mayAddRole, text: rolesMessages.add },
    keys: { may: mayAddKey, text: texts.addKey },
  }[search.tab]
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
          {search.tab === 'members' ? <SaveMembers /> : null}
          <GatedButton
            may={adding.may}
            why={texts.roleTooLow}
            leftSection={<Plus size={16} aria-hidden />}
            onClick={() => open({ add: 'yes' })}
          >
            {adding.text}
          </GatedButton>
        </>
      }
    >
      <TabBar label={texts.tabsLabel} tabs={[tab('members'), tab('roles'), tab('keys')]} />
      {search.tab === 'members' ? <MembersTab search={search} onOpen={open} /> : null}
      {search.tab === 'roles' ? (
        <RolesTab isAdding={search.add === 'yes'} onAdded={() => open({ add: undefined }, true)} />
      ) : null}
      {search.tab === 'keys' ? <ApiKeysTab search={search} onOpen={open} /> : null}
    </Page>
  )
}
