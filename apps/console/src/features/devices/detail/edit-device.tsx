// Dialog that edits a device's name and tags.
import { DeviceName, devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { z } from 'zod'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../../ui/feedback/dialog.tsx'
import { TextInput } from '../../../ui/kit.ts'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { TagsField } from '../../tags/tags-field.tsx'
import { devicesMessages as texts } from '../messages.ts'

const Fields = z.object({ name: DeviceName, tags: z.array(z.string()) })

interface EditDeviceProps {
  readonly device: Device
  readonly opened: boolean
  readonly onClose: () => void
}

export function EditDevice({ device, opened, onClose }: EditDeviceProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.editTitle(device.name)}>
      <Body device={device} onDone={onClose} />
    </Dialog>
  )
}

function Body({ device, onDone }: { readonly device: Device; readonly onDone: () => void }) {
  const { api } = useRuntime()
  const may = useMay('deviceUpdate')
  const params = { uid: device.uid }
  const put = async ({ name, tags }: { name: string; tags: string[] }) => {
    await api.call(operations.update, { params, body: { name } })
    await api.call(operations.setTags, { params, body: { tags } })
  }
  const before = { name: device.name, tags: [...device.tags] }
  const edit = useAction({
    call: put,
    done: ({ name }) => texts.edited(name),
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
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TagsField
        tags={form.form.watch('tags')}
        error={form.errorOf('tags')}
        onChange={(tags) => form.form.setValue('tags', tags, { shouldDirty: true })}
      />
    </DialogForm>
  )
}
