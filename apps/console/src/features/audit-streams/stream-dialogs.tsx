// Dialogs that add and change an audit stream. The secret of a new one is shown once.
import { type AuditStream, auditStreams } from '@bowline/contract/operations/fleet/audit-streams'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { NewSecret } from '../alerts/new-secret.tsx'
import { streamMessages as texts } from './messages.ts'
import { STREAMS } from './queries.ts'
import { type StreamFields, StreamForm } from './stream-form.tsx'

export function AddStream({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const { api } = useRuntime()
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  const create = useAction({
    call: async ({ authorization, ...fields }: StreamFields) =>
      (await api.call(auditStreams.create, { body: { ...fields, authorization: authorization || null } })).body,
    invalidates: [STREAMS],
  })
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={secret === undefined ? texts.addTitle : texts.secretTitle}
      insists={secret !== undefined}
    >
      {secret === undefined ? (
        <StreamForm send={async (fields) => setSecret((await create.send(fields)).secret)} onCancel={close} />
      ) : (
        <NewSecret secret={secret} onDone={close} />
      )}
    </Dialog>
  )
}

interface EditStreamProps {
  readonly stream: AuditStream | undefined
  readonly onClose: () => void
}

export function EditStream({ stream, onClose }: EditStreamProps) {
  const { api } = useRuntime()
  const update = useAction({
    call: (change: { id: string; fields: StreamFields }) =>
      api.call(auditStreams.update, { params: { id: change.id }, body: changeOf(change.fields) }),
    done: ({ fields }) => texts.saved(fields.name),
    invalidates: [STREAMS],
  })
  return (
    <Dialog opened={stream !== undefined} onClose={onClose} title={texts.editTitle(stream?.name ?? '')}>
      {stream ? (
        <StreamForm
          stream={stream}
          send={async (fields) => {
            await update.send({ id: stream.id, fields })
            onClose()
          }}
          onCancel={onClose}
        />
      ) : null}
    </Dialog>
  )
}

/** Empty texts are not sent: what is there stays. */
function changeOf({ url, authorization, ...fields }: StreamFields) {
  return { ...fields, ...(url === '' ? {} : { url }), ...(authorization === '' ? {} : { authorization }) }
}
