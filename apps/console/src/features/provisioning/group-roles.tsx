// Table of the identity provider's groups and the roles that they give.
import { useState } from 'react'
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '../../ui/kit.ts'
import { SettingRow } from '../../ui/page/section-card.tsx'
import { provisioningMessages as texts } from './messages.ts'
import type { ProvisioningProps } from './change.ts'
import { roleOf, roleOptions } from './role-options.ts'

export function GroupRoles({ settings: { roles }, change }: ProvisioningProps) {
  return (
    <Stack gap="sm">
      {roles.length === 0 ? <Text size="sm">{texts.noGroups}</Text> : null}
      {roles.map(({ group, role }) => (
        <SettingRow key={group} label={group} hint={texts.roles[role]}>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={texts.removeGroupNamed(group)}
            onClick={() =>
              void change.run({
                body: { roles: roles.filter((one) => one.group !== group) },
                done: texts.groupRemoved(group),
              })
            }
          >
            {texts.removeGroup}
          </Button>
        </SettingRow>
      ))}
      <NewGroup key={roles.length} roles={roles} change={change} />
    </Stack>
  )
}

function NewGroup({ roles, change }: Pick<ProvisioningProps, 'change'> & Pick<ProvisioningProps['settings'], 'roles'>) {
  const [group, setGroup] = useState('')
  const [role, setRole] = useState('operator')
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const added = { group: group.trim(), role: roleOf(role) }
        void change.run({ body: { roles: [...roles, added] }, done: texts.groupAdded(added.group) })
      }}
    >
      <Group align="end" gap="xs">
        <TextInput
          label={texts.group}
          value={group}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => setGroup(value)}
        />
        <NativeSelect
          label={texts.role}
          value={role}
          data={roleOptions}
          onChange={({ currentTarget: { value } }) => setRole(value)}
        />
        <Button type="submit" variant="default" disabled={group.trim() === ''}>
          {texts.addGroup}
        </Button>
      </Group>
    </form>
  )
}
