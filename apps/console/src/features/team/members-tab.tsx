// The members of the namespace and their roles.
import { members as operations } from '@bowline/contract/operations/namespaces'
import { hasAuthorityOver } from '@bowline/contract/roles'
import { Email, TenantId } from '@bowline/contract/schemas/common'
import { type Member, RoleName } from '@bowline/contract/schemas/namespace'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { type Column, DataTable } from '../../ui/list/data-table.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { Badge, NativeSelect, Text, TextInput } from '../../ui/kit.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { infoQuery } from '../instance/queries.ts'
import { namespaceQuery } from '../namespaces/queries.ts'
import { useRemoveMember, useSetRole } from './member-actions.ts'
import { teamMessages as texts } from './messages.ts'
import { roleOptions, toRole } from './role-options.ts'
import type { TeamSearch } from './search.ts'
import classes from './team.module.css'

const { memberColumns } = texts
const COLUMNS: readonly Column<Member>[] = [
  { id: 'email', header: memberColumns.email, cell: (member) => <MemberName member={member} /> },
  { id: 'role', header: memberColumns.role, width: '12rem', cell: (member) => <MemberRole member={member} /> },
  {
    id: 'status',
    header: memberColumns.status,
    width: '8rem',
    cell: ({ status }) => (status === 'accepted' ? texts.accepted : texts.pending),
  },
  { id: 'since', header: memberColumns.since, width: '8rem', cell: (member) => <TimeAgo time={member.added_at} /> },
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
  return (
    <>
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      {query.isError && !query.data ? null : (
        <DataTable
          label={texts.membersLabel}
          columns={COLUMNS}
          rows={query.data?.members}
          rowKey={(member) => member.id}
          renderActions={(member) => <RemoveButton member={member} onRemove={() => setRemoving(member)} />}
          empty={null}
        />
      )}
      <Dialog
        opened={search.add === 'yes'}
        onClose={() => onOpen({ add: undefined }, true)}
        title={texts.addMemberTitle}
      >
        <AddMember tenant={tenant} onDone={() => onOpen({ add: undefined }, true)} />
      </Dialog>
      <Confirm
        opened={removing !== undefined}
        title={texts.removeMemberTitle(removing?.email ?? '')}
        action={texts.removeMember}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && void remove.run(removing)}
      >
        <Text size="sm">{texts.removeMemberText}</Text>
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
      onChange={(event) => {
        const role = toRole(event.currentTarget.value)
        if (role) void setRole.run({ member, role })
      }}
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
      label={texts.removeMemberNamed(member.email)}
      hint={texts.removeMember}
      onClick={onRemove}
    >
      <Trash2 size={15} aria-hidden />
    </GatedAction>
  )
}

const NewMember = z.object({ email: Email, role: RoleName })

function AddMember({ tenant, onDone }: { readonly tenant: string; readonly onDone: () => void }) {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const { data: info } = useQuery(infoQuery(api))
  const own = usePerson()?.role ?? ''
  const add = useAction({
    async call(body: z.output<typeof NewMember>) {
      const { body: namespace } = await api.call(operations.add, { params: { tenant: TenantId.parse(tenant) }, body })
      queryClient.setQueryData(keys.namespace(tenant), namespace)
    },
    done: ({ email }) => texts.memberAdded(email),
  })
  const form = useContractForm({
    schema: NewMember,
    values: { email: '', role: 'operator' },
    labels: texts.labels,
    async send(body) {
      await add.send(body)
      onDone()
    },
  })
  const role = form.form.watch('role')
  return (
    <DialogForm form={form} failed={texts.memberFailed} submit={texts.addMember} onCancel={onDone}>
      <Text size="sm">{info?.edition === 'cloud' ? texts.addMemberTextCloud : texts.addMemberText}</Text>
      <TextInput {...form.field('email')} type="email" autoComplete="off" data-autofocus />
      <NativeSelect {...form.field('role')} description={texts.roleHints[role]} data={roleOptions(own)} />
    </DialogForm>
  )
}
