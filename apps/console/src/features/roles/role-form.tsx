// Form of a role of the namespace. Where it is limited to tags, only permissions about devices can be chosen.
import { type OwnRole, OwnRoleBody } from '@bowline/contract/operations/fleet/roles'
import { LIMITS } from '@bowline/contract/limits'
import { GRANTABLE, type GrantablePermission } from '@bowline/contract/roles'
import { DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Checkbox, NativeSelect, Text, TextInput } from '../../ui/kit.ts'
import { TagsField } from '../tags/tags-field.tsx'
import { rolesMessages as texts } from './messages.ts'
import classes from './roles.module.css'

interface RoleFormProps {
  /** The role that is changed; absent: a new one. */
  readonly role?: OwnRole
  readonly send: (body: OwnRoleBody) => Promise<void>
  readonly onCancel: () => void
}

export function RoleForm({ role, send, onCancel }: RoleFormProps) {
  const form = useContractForm({
    schema: OwnRoleBody,
    values: { name: role?.name ?? '', permissions: role?.permissions ?? [], tags: role?.tags ?? null },
    labels: texts.labels,
    taken: texts.taken,
    send,
  })
  const { watch, setValue } = form.form
  const [chosen, tags = null] = watch(['permissions', 'tags'])
  const isLimited = tags !== null
  const choose = (permission: GrantablePermission, isChosen: boolean): void => {
    const others = chosen.filter((one) => one !== permission)
    setValue('permissions', isChosen ? [...others, permission] : others, { shouldDirty: true })
  }
  const limit = (next: boolean): void => {
    setValue('tags', next ? [] : null, { shouldDirty: true })
    if (next)
      setValue(
        'permissions',
        chosen.filter((one) => isAboutDevices(one)),
      )
  }
  const box = (permission: GrantablePermission, disabled = false) => (
    <Checkbox
      key={permission}
      label={texts.permissions[permission]}
      checked={chosen.includes(permission)}
      disabled={disabled}
      onChange={(event) => choose(permission, event.currentTarget.checked)}
    />
  )
  return (
    <DialogForm
      form={form}
      failed={role ? texts.saveFailed : texts.addFailed}
      submit={role ? texts.save : texts.add}
      onCancel={onCancel}
    >
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" maxLength={LIMITS.roles.name} />
      <NativeSelect
        label={texts.labels.limited}
        value={isLimited ? 'tags' : 'all'}
        data={[
          { value: 'all', label: texts.everywhere },
          { value: 'tags', label: texts.byTag },
        ]}
        onChange={(event) => limit(event.currentTarget.value === 'tags')}
      />
      {isLimited ? (
        <div>
          <TagsField
            tags={tags}
            onChange={(next) => setValue('tags', next, { shouldDirty: true })}
            error={form.errorOf('tags')}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {texts.tagsHint}
          </Text>
        </div>
      ) : null}
      <fieldset className={classes['group']}>
        <legend>{texts.aboutDevices}</legend>
        {GRANTABLE.devices.map((permission) => box(permission))}
      </fieldset>
      <fieldset className={classes['group']}>
        <legend>{texts.aboutNamespace}</legend>
        {isLimited ? (
          <Text size="sm" c="dimmed">
            {texts.namespaceHint}
          </Text>
        ) : null}
        {GRANTABLE.namespace.map((permission) => box(permission, isLimited))}
      </fieldset>
      {form.errorOf('permissions') ? (
        <Text size="sm" c="var(--bowline-danger)" role="alert">
          {form.errorOf('permissions')}
        </Text>
      ) : null}
    </DialogForm>
  )
}

const isAboutDevices = (permission: GrantablePermission): boolean =>
  (GRANTABLE.devices as readonly string[]).includes(permission)
