// Dialogs that approve and deny an access request.
import { LIMITS } from '@bowline/contract/limits'
import {
  type AccessRequest,
  AccessRequestBody,
  accessRequests,
} from '@bowline/contract/operations/fleet/access-requests'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { NativeSelect, Text, TextInput } from '../../ui/kit.ts'
import { taggedDevicesQuery } from '../tags/queries.ts'
import { durationChoices } from './durations.ts'
import { accessMessages as texts } from './messages.ts'
import { nameOfTarget } from './names.ts'

const INVALIDATES = [keys.accessRequests, keys.stats]

interface DecideDialogProps {
  /** Undefined: closed. */
  readonly request: AccessRequest | undefined
  readonly onClose: () => void
}

const Approval = z.object({ minutes: z.string().transform(Number).pipe(AccessRequestBody.shape.minutes) })

interface ApproveDialogProps extends DecideDialogProps {
  /** Hours that the namespace allows. */
  readonly hours: number
}

export function ApproveDialog({ request, hours, onClose }: ApproveDialogProps) {
  return (
    <Dialog opened={request !== undefined} onClose={onClose} title={texts.approveTitle(request?.requester.name ?? '')}>
      {request ? <Approve request={request} hours={hours} onClose={onClose} /> : null}
    </Dialog>
  )
}

type BodyProps = DecideDialogProps & { readonly request: AccessRequest }

function Approve({ request, hours, onClose }: BodyProps & Pick<ApproveDialogProps, 'hours'>) {
  const { api } = useRuntime()
  const approve = useAction({
    call: (minutes: number) => api.call(accessRequests.approve, { params: { id: request.id }, body: { minutes } }),
    done: texts.approved(request.requester.name),
    invalidates: INVALIDATES,
  })
  const most = Math.min(request.minutes, hours * 60)
  const form = useContractForm({
    schema: Approval,
    values: { minutes: String(most) },
    labels: texts.labels,
    async send({ minutes }) {
      await approve.send(minutes)
      onClose()
    },
  })
  return (
    <DialogForm form={form} failed={texts.approveFailed} submit={texts.approve} onCancel={onClose}>
      <About request={request} />
      <NativeSelect
        {...form.field('minutes')}
        description={texts.shorten}
        data={durationChoices(most)}
        data-autofocus
      />
    </DialogForm>
  )
}

const Denial = z.object({ note: z.string().trim().max(LIMITS.accessRequests.reason) })

export function DenyDialog({ request, onClose }: DecideDialogProps) {
  return (
    <Dialog opened={request !== undefined} onClose={onClose} title={texts.denyTitle(request?.requester.name ?? '')}>
      {request ? <Deny request={request} onClose={onClose} /> : null}
    </Dialog>
  )
}

function Deny({ request, onClose }: BodyProps) {
  const { api } = useRuntime()
  const deny = useAction({
    call: (note: string) => api.call(accessRequests.deny, { params: { id: request.id }, body: { note } }),
    done: texts.denied(request.requester.name),
    invalidates: INVALIDATES,
  })
  const form = useContractForm({
    schema: Denial,
    values: { note: '' },
    labels: texts.labels,
    async send({ note }) {
      await deny.send(note)
      onClose()
    },
  })
  return (
    <DialogForm form={form} failed={texts.denyFailed} submit={texts.deny} onCancel={onClose}>
      <About request={request} />
      <TextInput
        {...form.field('note')}
        description={texts.noteHint}
        maxLength={LIMITS.accessRequests.reason}
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  )
}

/** Summary of the request, with the number of devices that have its tag now. */
function About({ request }: { readonly request: AccessRequest }) {
  const { api } = useRuntime()
  const { tag } = request
  const { data: count } = useQuery({ ...taggedDevicesQuery(api, tag ?? ''), enabled: tag !== null })
  const what = tag === null || count === undefined ? nameOfTarget(request) : texts.taggedNow(tag, count)
  return (
    <div>
      <Text size="sm">{texts.asks(request.requester.name, what)}</Text>
      <Text size="sm">{texts.as(request.accounts.join(', '))}</Text>
      <Text size="sm" c="dimmed">
        {texts.note(request.reason)}
      </Text>
    </div>
  )
}
