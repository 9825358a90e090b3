// The members of the namespace and their roles.
import { hasAuthorityOver } from '@bowline/contract/roles'
import type { Member } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Toolbar } from '../../ui/list/toolbar.tsx'
import { Badge, NativeSelect, Text } from '../../ui/kit.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { namespaceQuery } from '../namespaces/queries.ts'
import { MemberRoleNames, MemberRolesButton } from '../roles/member-roles.tsx'
import { AddMember } from './add-member.tsx'
import { InvitationActions, InvitationEnd, LinkDialog, type MadeLink } from './invitations.tsx'
import { useRemoveMember, useSetRole } from './member-actions.ts'
import { teamMessages as texts } from './messages.ts'
import { shownMembers } from './member-order.ts'
import { roleOptions, toRole } from './role-options.ts'
import { MEMBER_SORTS, type TeamSearch } from './search.ts'
import classes from './team.module.css'

const { memberColumns } = texts
const COLUMNS: readonly Column<Member>[] = [
  { id: 'email', header: memberColumns.email, sortBy: 'email', cell: (member) => <MemberName member={member} /> },
  {
    id: 'role',
    header: memberColumns.role,
    sortBy: 'role',
    width: '12rem',
    cell: (member) => <Roles member={member} />,
  },
  {
    id: 'status',
    header: memberColumns.status,
    width: '8rem',
    cell: (member) => (member.status === 'accepted' ? texts.accepted : <InvitationEnd member={member} />),
  },
  {
    id: 'since',
    header: memberColumns.since,
    sortBy: 'added_at',
    width: '8rem',
    cell: (member) => <TimeAgo time={member.added_at} />,
  },
]

export interface TeamTabProps {
  readonly search: TeamSearch
  readonly onOpen: (next: Partial<TeamSearch>, replace?: boolean) => void
}

export function MembersTab({ search, onOpen }: TeamTabProps) {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const query = useQuery(namespaceQuery(api, tenant))
  const remove = useRemoveMember(tenant)
  const [removing, setRemoving] = useState<Member>()
  const [link, setLink] = useState<MadeLink>()
  const words = search.q ?? ''
  const sort = MEMBER_SORTS.find((known) => known === search.sort) ?? 'email'
  const order = search.order ?? 'asc'
  const isInvited = removing?.status === 'pending'
  return (
    <>
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      <Toolbar>
        <SearchField
          label={texts.searchMembers}
          words={words}
          onSearch={(next) => onOpen({ q: next === '' ? undefined : next }, true)}
        />
      </Toolbar>
      {query.isError && !query.data ? null : (
        <DataTable
          label={texts.membersLabel}
          columns={COLUMNS}
          rows={query.data && shownMembers(query.data.members, { words, sort, order })}
          rowKey={(member) => member.id}
          sort={{ by: sort, order }}
          onSort={(next) => onOpen({ sort: MEMBER_SORTS.find((known) => known === next.by), order: next.order }, true)}
          renderActions={(member) => (
            <>
              {member.status === 'pending' ? <InvitationActions member={member} onLink={setLink} /> : null}
              <RolesButton member={member} />
              <RemoveButton member={member} onRemove={() => setRemoving(member)} />
            </>
          )}
          empty={<EmptyState icon={<Users size={24} />} title={texts.noMembers} text={texts.noMembersText} />}
        />
      )}
      <Dialog
        opened={search.add === 'yes'}
        onClose={() => onOpen({ add: undefined }, true)}
        title={texts.addMemberTitle}
      >
        <AddMember
          tenant={tenant}
          onDone={(made) => {
            onOpen({ add: undefined }, true)
            setLink(made)
          }}
        />
      </Dialog>
      <LinkDialog made={link} onClose={() => setLink(undefined)} />
      <Confirm
        opened={removing !== undefined}
        title={(isInvited ? texts.revokeTitle : texts.removeMemberTitle)(removing?.email ?? '')}
        action={isInvited ? texts.revoke : texts.removeMember}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{isInvited ? texts.revokeText : texts.removeMemberText}</Text>
      </Confirm>
    </>
  )
}

function MemberName({ member }: { readonly member: Member }) {
  const isSelf = usePerson()?.id === member.id
  return (
    <span className={classes['member']}>
      {member.email}
      {isSelf ? (
        <Badge size="sm" variant="default" tt="none">
          {texts.you}
        </Badge>
      ) : null}
      {member.provisioned ? (
        <Badge size="sm" variant="default" tt="none">
          {texts.managed}
        </Badge>
      ) : null}
    </span>
  )
}

/** True when the signed-in person may manage a member: by permission, by rank, and not themselves. */
function useMayActOn(member: Member, permission: 'namespaceEditMember' | 'namespaceRemoveMember'): boolean {
  const person = usePerson()
  const may = useMay(permission)
  const role = person?.role ?? ''
  return may && person?.id !== member.id && role !== '' && hasAuthorityOver(role, member.role)
}

/** The server refuses: the next change in the directory would undo it. */
const MANAGED = {
  disabled: true,
  description: texts.managedRole,
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}

function MemberRole({ member }: { readonly member: Member }) {
  const setRole = useSetRole(usePerson()?.tenant ?? '')
  const may = useMayActOn(member, 'namespaceEditMember')
  const own = usePerson()?.role ?? ''
  if (!may) return texts.roles[member.role]
  return (
    <NativeSelect
      size="xs"
      aria-label={texts.roleOf(member.email)}
      value={member.role}
      data={roleOptions(own)}
      {...(member.provisioned ? MANAGED : {})}
      onChange={(event) => {
        const role = toRole(event.currentTarget.value)
        if (role) void setRole.run({ member, role })
      }}
    />
  )
}

/** The role, and those of the namespace beside it. */
function Roles({ member }: { readonly member: Member }) {
  return (
    <>
      <MemberRole member={member} />
      <MemberRoleNames member={member} />
    </>
  )
}

function RolesButton({ member }: { readonly member: Member }) {
  const may = useMay('namespaceEditMember')
  const own = usePerson()?.role ?? ''
  // Owners have everything.
  if (member.role === 'owner') return null
  return (
    <MemberRolesButton
      member={member}
      may={may && own !== '' && hasAuthorityOver(own, member.role)}
      why={texts.roleTooLow}
    />
  )
}

function RemoveButton({ member, onRemove }: { readonly member: Member; readonly onRemove: () => void }) {
  const may = useMayActOn(member, 'namespaceRemoveMember')
  const isSelf = usePerson()?.id === member.id
  return (
    <GatedAction
      may={may}
      why={isSelf ? texts.notYourself : texts.roleTooLow}
      label={(member.status === 'pending' ? texts.revokeNamed : texts.removeMemberNamed)(member.email)}
      hint={member.status === 'pending' ? texts.revoke : texts.removeMember}
      onClick={onRemove}
    >
      <Trash2 size={15} aria-hidden />
    </GatedAction>
  )
}
