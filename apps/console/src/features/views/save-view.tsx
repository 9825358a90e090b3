// Dialog that saves the list as it is under a name.
import { type SavedView, ViewName, views } from '@bowline/contract/operations/fleet/views'
import { z } from 'zod'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Checkbox, TextInput } from '../../ui/kit.ts'
import { viewsMessages as texts } from './messages.ts'

const Fields = z.object({ name: ViewName, shared: z.boolean() })

interface SaveViewProps {
  readonly list: SavedView['list']
  readonly query: SavedView['query']
  readonly onClose: () => void
}

export function SaveView({ list, query, onClose }: SaveViewProps) {
  const { api } = useRuntime()
  const mayShare = useMay('deviceUpdate')
  const save = useAction({
    call: (fields: z.infer<typeof Fields>) => api.call(views.create, { body: { ...fields, list, query } }),
    done: ({ name }) => texts.saved(name),
    invalidates: [keys.views],
  })
  const form = useContractForm({
    losable: true,
    schema: Fields,
    values: { name: '', shared: false },
    labels: texts.labels,
    taken: texts.taken,
    async send(values) {
      await save.send(values)
      onClose()
    },
  })
  return (
    <Dialog opened onClose={onClose} title={texts.saveTitle}>
      <DialogForm form={form} failed={texts.saveFailed} submit={texts.saveAction} onCancel={onClose}>
        <TextInput {...form.field('name')} description={texts.hint} data-autofocus autoComplete="off" />
        <Checkbox
          label={texts.labels.shared}
          disabled={!mayShare}
          checked={form.form.watch('shared')}
          onChange={(event) => form.form.setValue('shared', event.currentTarget.checked)}
        />
      </DialogForm>
    </Dialog>
  )
}
