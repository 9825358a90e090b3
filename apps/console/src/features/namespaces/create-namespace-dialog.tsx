// Dialog that creates a namespace and switches to it.
import { namespaces } from '@bowline/contract/operations/namespaces'
import { NamespaceName } from '@bowline/contract/schemas/namespace'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { Text, TextInput } from '../../ui/kit.ts'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { namespacesMessages as texts } from './messages.ts'
import { useSwitchNamespace } from './use-switch-namespace.ts'

const Fields = z.object({ name: NamespaceName })

export interface CreateNamespaceProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function CreateNamespaceDialog({ opened, onClose }: CreateNamespaceProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.createTitle}>
      <Form onDone={onClose} />
    </Dialog>
  )
}

function Form({ onDone }: { readonly onDone: () => void }) {
  const { api } = useRuntime()
  const switchTo = useSwitchNamespace()
  const create = useAction({
    call: async (body: z.output<typeof Fields>) => (await api.call(namespaces.create, { body })).body,
  })
  const form = useContractForm({
    schema: Fields,
    values: { name: '' },
    labels: texts.labels,
    taken: texts.taken,
    async send(body) {
      const created = await create.send(body)
      onDone()
      await switchTo.run(created)
    },
  })
  return (
    <DialogForm form={form} failed={texts.createFailed} submit={texts.createSubmit} onCancel={onDone}>
      <Text size="sm">{texts.createText}</Text>
      <TextInput
        {...form.field('name')}
        description={texts.nameHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
      />
    </DialogForm>
  )
}
