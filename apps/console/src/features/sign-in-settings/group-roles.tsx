// Roles that the groups of one provider give: the table, and a row that adds to it.
import type { GroupRole } from '@bowline/contract/operations/single-sign-on'
import { ProvisionedRole } from '@bowline/contract/schemas/scim'
import { useState } from 'react'
import { useAction } from '../../core/use-action.ts'
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '../../ui/kit.ts'
import { SettingRow } from '../../ui/page/section-card.tsx'
import { groupRoleMessages as texts } from './group-role-messages.ts'
import { SETTINGS_KEY } from './queries.ts'

interface GroupRolesProps {
  readonly roles: readonly GroupRole[]
  /** Saves the whole list. */
  readonly save: (roles: GroupRole[]) => Promise<unknown>
}

/** Lowest first. */
const options = ProvisionedRole.options.toReversed().map((role) => ({ value: role, label: texts.roles[role] }))

export function GroupRoles({ roles, save }: GroupRolesProps) {
  const change = useAction({
    call: (next: { readonly roles: readonly GroupRole[]; readonly done: string }) => save([...next.roles]),
    done: ({ done }) => done,
    failed: texts.notSaved,
    invalidates: [SETTINGS_KEY],
  })
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.text}
      </Text>
      {roles.length === 0 ? <Text size="sm">{texts.none}</Text> : null}
      {roles.map((one) => (
        <SettingRow key={`${one.group} ${one.namespace}`} label={one.group} hint={texts.gives(one.role, one.namespace)}>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={texts.removeOne(one.group, one.namespace)}
            onClick={() =>
              void change.run({ roles: roles.filter((other) => other !== one), done: texts.removed(one.group) })
            }
          >
            {texts.remove}
          </Button>
        </SettingRow>
      ))}
      <NewRole
        key={roles.length}
        onAdd={(added) => void change.run({ roles: [...roles, added], done: texts.added(added.group) })}
      />
    </Stack>
  )
}

function NewRole({ onAdd }: { readonly onAdd: (added: GroupRole) => void }) {
  const [group, setGroup] = useState('')
  const [namespace, setNamespace] = useState('')
  const [role, setRole] = useState('observer')
  return (
    <form
      noValidate
      aria-label={texts.form}
      onSubmit={(event) => {
        event.preventDefault()
        onAdd({ group: group.trim(), namespace: namespace.trim().toLowerCase(), role: ProvisionedRole.parse(role) })
      }}
    >
      <Group align="end" gap="xs">
        <TextInput
          label={texts.group}
          value={group}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => setGroup(value)}
        />
        <TextInput
          label={texts.namespace}
          value={namespace}
          autoComplete="off"
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => setNamespace(value)}
        />
        <NativeSelect
          label={texts.role}
          value={role}
          data={options}
          onChange={({ currentTarget: { value } }) => setRole(value)}
        />
        <Button type="submit" variant="default" disabled={group.trim() === '' || namespace.trim() === ''}>
          {texts.add}
        </Button>
      </Group>
    </form>
  )
}
