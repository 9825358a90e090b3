// Dialog that edits what people say about a device: name, tags, note, custom fields.
import { LIMITS } from '@bowline/contract/limits'
import { DeviceName, devices as operations } from '@bowline/contract/operations/devices'
import { type Device, DeviceFields, PlacedPosition } from '@bowline/contract/schemas/device'
import { z } from 'zod'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../../ui/feedback/dialog.tsx'
import { TextInput } from '../../../ui/kit.ts'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { TextArea } from '../../../ui/form/text-area.tsx'
import { TagsField } from '../../tags/tags-field.tsx'
import { PositionEditor } from './position-editor.tsx'
import { FieldsEditor } from './fields-editor.tsx'
import { devicesMessages as texts } from '../messages.ts'

const Fields = z.object({
  name: DeviceName,
  tags: z.array(z.string()),
  note: z.string().max(LIMITS.deviceNote),
  fields: DeviceFields,
  position: PlacedPosition.nullable(),
})
type Fields = z.infer<typeof Fields>

interface EditDeviceProps {
  readonly device: Device
  /** Takes the focus. */
  readonly part?: 'name' | 'tags'
  readonly opened: boolean
  readonly onClose: () => void
}

export function EditDevice({ device, part = 'name', opened, onClose }: EditDeviceProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.editTitle(device.name)}>
      <Body device={device} part={part} onDone={onClose} />
    </Dialog>
  )
}

interface BodyProps {
  readonly device: Device
  readonly part: 'name' | 'tags'
  readonly onDone: () => void
}

function Body({ device, part, onDone }: BodyProps) {
  const { api } = useRuntime()
  const may = useMay('deviceUpdate', device)
  const params = { uid: device.uid }
  const put = async ({ tags, ...rest }: Fields) => {
    await api.call(operations.update, { params, body: rest })
    await api.call(operations.setTags, { params, body: { tags } })
  }
  const { name, note, fields } = device
  const position = device.placed === true ? device.position : null
  const before = { name, tags: [...device.tags], note, fields, position }
  const edit = useAction({
    call: put,
    done: (saved) => texts.edited(saved.name),
    undo: () => put(before),
    invalidates: [keys.devices, keys.tags],
  })
  const form = useContractForm({
    schema: Fields,
    values: before,
    labels: texts.editLabels,
    async send(values) {
      await edit.send(values)
      onDone()
    },
  })
  return (
    <DialogForm
      form={form}
      failed={texts.editFailed}
      submit={texts.editSave}
      onCancel={onDone}
      refused={may ? undefined : texts.roleTooLow}
    >
      <TextInput
        {...form.field('name')}
        description={texts.editHint}
        data-autofocus={part === 'name' || undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TagsField
        focusFirst={part === 'tags'}
        tags={form.form.watch('tags')}
        error={form.errorOf('tags')}
        onChange={(tags) => form.form.setValue('tags', tags, { shouldDirty: true })}
      />
      <TextArea {...form.field('note')} description={texts.noteHint} rows={3} />
      <FieldsEditor
        fields={form.form.watch('fields')}
        error={form.errorOf('fields')}
        onChange={(changed) => form.form.setValue('fields', changed, { shouldDirty: true })}
      />
      <PositionEditor
        position={position}
        error={form.form.formState.errors.position ? texts.positionWrong : null}
        onChange={(changed) =>
          form.form.setValue('position', changed, {
            shouldDirty: true,
            shouldValidate: form.form.formState.isSubmitted,
          })
        }
      />
    </DialogForm>
  )
}
