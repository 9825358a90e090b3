// Dialog that asks for access to a device, or to the devices with a tag.
import { LIMITS } from '@bowline/contract/limits'
import { AccessRequestBody, accessRequests } from '@bowline/contract/operations/fleet/access-requests'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { Tag } from '@bowline/contract/schemas/tag'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { deviceQuery } from '../../core/devices/queries.ts'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { NativeSelect, Text, TextInput } from '../../ui/kit.ts'
import { tagsQuery } from '../tags/queries.ts'
import { durationChoices } from './durations.ts'
import { accessMessages as texts } from './messages.ts'

const { accounts, minutes, reason } = AccessRequestBody.shape

const Fields = z.object({
  tag: z.literal('').or(Tag),
  accounts: z
    .string()
    .transform((text) => [
      ...new Set(
        text
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ),
    ])
    .pipe(accounts),
  minutes: z.string().transform(Number).pipe(minutes),
  reason,
})

interface AskDialogProps {
  /** A device; `tag` for the devices with a tag; undefined: closed. */
  readonly about: DeviceUid | 'tag' | undefined
  /** Hours that the namespace allows. */
  readonly hours: number
  readonly onClose: () => void
}

export function AskDialog({ about, hours, onClose }: AskDialogProps) {
  const { api } = useRuntime()
  const uid = about === 'tag' ? undefined : about
  const { data: device } = useQuery({ ...deviceQuery(api, uid ?? ''), enabled: uid !== undefined })
  const title = about === 'tag' ? texts.askTagTitle : texts.askTitle(device?.name ?? '')
  return (
    <Dialog opened={about !== undefined} onClose={onClose} title={title}>
      {about === undefined ? null : <Body key={about} uid={uid} hours={hours} onClose={onClose} />}
    </Dialog>
  )
}

interface BodyProps {
  readonly uid: DeviceUid | undefined
  readonly hours: number
  readonly onClose: () => void
}

function Body({ uid, hours, onClose }: BodyProps) {
  const { api } = useRuntime()
  const { data: tags = [] } = useQuery({ ...tagsQuery(api), enabled: uid === undefined })
  const create = useAction({
    call: (body: z.input<typeof AccessRequestBody>) => api.call(accessRequests.create, { body }),
    done: texts.askDone,
    invalidates: [keys.accessRequests],
  })
  const choices = durationChoices(hours * 60)
  const form = useContractForm({
    schema: Fields,
    values: { tag: '', accounts: '', minutes: choices.some(({ value }) => value === '60') ? '60' : '15', reason: '' },
    labels: texts.labels,
    async send({ tag, ...fields }) {
      await create.send({ ...fields, ...(uid === undefined ? { tag } : { device: uid }) })
      onClose()
    },
  })
  return (
    <DialogForm
      form={form}
      failed={texts.askFailed}
      submit={texts.ask}
      onCancel={onClose}
      refused={uid === undefined && tags.length === 0 ? texts.noTags : undefined}
    >
      <Text size="sm" c="dimmed">
        {texts.askText}
      </Text>
      {uid === undefined ? <NativeSelect {...form.field('tag')} data={['', ...tags]} data-autofocus /> : null}
      <TextInput
        {...form.field('accounts')}
        description={texts.accountsHint}
        data-autofocus={uid !== undefined || undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <NativeSelect {...form.field('minutes')} data={choices} />
      <TextInput
        {...form.field('reason')}
        description={texts.reasonHint}
        maxLength={LIMITS.accessRequests.reason}
        autoComplete="off"
      />
    </DialogForm>
  )
}
