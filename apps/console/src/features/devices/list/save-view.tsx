// Dialog that saves the list as it is under a name.
import { type SavedView, views } from '@bowline/contract/operations/fleet/views'
import { z } from 'zod'
import { useMay, useRuntime } from '../../../core/context.tsx'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { Checkbox, TextInput } from '../../../ui/kit.ts'
import { devicesMessages as texts } from '../messages.ts'

const Fields = z.object({ name: views.create.body?.shape.name ?? z.string(), shared: z.boolean() })

interface SaveViewProps {
  readonly kind: DeviceKind
  readonly query: SavedView['query']
  readonly onClose: () => void
}

export function SaveView({ kind, query, onClose }: SaveViewProps) {
  const { api } = useRuntime()
  const mayShare = useMay('deviceUpdate')
  const save = useAction({
    call: (fields: z.infer<typeof Fields>) => api.call(views.create, { body: { ...fields, list: kind, query } }),
    done: ({ name }) => texts.viewSaved(name),
    invalidates: [keys.views],
  })
  const form = useContractForm({
    schema: Fields,
    values: { name: '', shared: false },
    labels: texts.viewLabels,
    async send(values) {
      await save.send(values)
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title={texts.saveViewTitle}>
      <DialogForm form={form} failed={texts.viewFailed} submit={texts.saveViewAction} onCancel={onClose}>
        <TextInput {...form.field('name')} description={texts.viewHint} data-autofocus autoComplete="off" />
        <Checkbox
          label={texts.viewLabels.shared}
          disabled={!mayShare}
          checked={form.form.watch('shared')}
          onChange={(event) => form.form.setValue('shared', event.currentTarget.checked)}
        />
      </DialogForm>
    </Dialog>
  )
}
