// The roles of the namespace that a member has beside their role.
import type { OwnRole } from '@bowline/contract/operations/fleet/roles'
import type { Member } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { UserCog } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Checkbox, Text } from '../../ui/kit.ts'
import { rolesMessages as texts } from './messages.ts'
import { rolesQuery, useAssignRoles } from './queries.ts'

/** Their names. */
export function MemberRoleNames({ member }: { readonly member: Member }) {
  const { api } = useRuntime()
  const { data = [] } = useQuery(rolesQuery(api))
  const names = rolesOf(member, data).map(({ name }) => name)
  if (names.length === 0) return null
  return (
    <Text size="xs" c="dimmed">
      {names.join(', ')}
    </Text>
  )
}

interface MemberRolesButtonProps {
  readonly member: Member
  readonly may: boolean
  /** Why not. */
  readonly why: string
}

/** Opens a dialog in which roles are chosen. */
export function MemberRolesButton({ member, may, why }: MemberRolesButtonProps) {
  const { api } = useRuntime()
  const [opened, setOpened] = useState(false)
  const { data: known } = useQuery({ ...rolesQuery(api), enabled: opened })
  return (
    <>
      <GatedAction
        may={may}
        why={why}
        label={texts.ofMember(member.email)}
        hint={texts.assign}
        onClick={() => setOpened(true)}
      >
        <UserCog size={15} aria-hidden />
      </GatedAction>
      <Dialog
        opened={opened && known !== undefined}
        onClose={() => setOpened(false)}
        title={texts.ofMember(member.email)}
      >
        <RolesForm member={member} known={known ?? []} onDone={() => setOpened(false)} />
      </Dialog>
    </>
  )
}

interface RolesFormProps {
  readonly member: Member
  readonly known: readonly OwnRole[]
  readonly onDone: () => void
}

const Fields = z.object({ ids: z.array(z.string()) })

function RolesForm({ member, known, onDone }: RolesFormProps) {
  const assign = useAssignRoles(usePerson()?.tenant ?? '')
  const form = useContractForm({
    schema: Fields,
    values: { ids: rolesOf(member, known).map(({ id }) => id) },
    labels: { ids: texts.assign },
    async send({ ids }) {
      await assign.send({ member, ids })
      onDone()
    },
  })
  const ids = form.form.watch('ids')
  const choose = (id: string, isChosen: boolean): void => {
    const others = ids.filter((one) => one !== id)
    form.form.setValue('ids', isChosen ? [...others, id] : others, { shouldDirty: true })
  }
  return (
    <DialogForm form={form} failed={texts.assignFailed} submit={texts.save} onCancel={onDone}>
      {known.length === 0 ? <Text size="sm">{texts.noneHint}</Text> : null}
      {known.map(({ id, name, permissions, tags }) => (
        <Checkbox
          key={id}
          label={name}
          description={texts.described(
            permissions.map((permission) => texts.permissions[permission]),
            tags,
          )}
          checked={ids.includes(id)}
          onChange={(event) => choose(id, event.currentTarget.checked)}
        />
      ))}
    </DialogForm>
  )
}

function rolesOf({ id }: Member, known: readonly OwnRole[]): readonly OwnRole[] {
  return known.filter(({ members }) => members.includes(id))
}
