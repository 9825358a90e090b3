// Dialog that edits a device's name and tags.
import { DeviceName, devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { keys } from '../../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../../ui/feedback/dialog.tsx'
import { TextInput } from '../../../ui/kit.ts'
import { notifyDone } from '../../../ui/feedback/notify.tsx'
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
  const queryClient = useQueryClient()
  const may = useMay('deviceUpdate')
  const params = { uid: device.uid }
  const put = async ({ name, tags }: { name: string; tags: string[] }) => {
    await api.call(operations.update, { params, body: { name } })
    await api.call(operations.setTags, { params, body: { tags } })
    for (const queryKey of [keys.devices, keys.tags]) void queryClient.invalidateQueries({ queryKey })
  }
  const before = { name: device.name, tags: [...device.tags] }
  const form = useContractForm({
    schema: Fields,
    values: before,
    labels: texts.editLabels,
    async send(values) {
      await put(values)
      notifyDone({ title: texts.edited(values.name), onUndo: () => put(before) })
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
