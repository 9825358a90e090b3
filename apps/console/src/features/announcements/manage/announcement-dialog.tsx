// Dialog that writes an announcement or changes one, with a preview.
import { announcements } from '@bowline/contract/operations/announcements'
import {
  AnnouncementContent,
  type AnnouncementFields,
  AnnouncementTitle,
  type ManagedAnnouncement,
} from '@bowline/contract/schemas/announcement'
import { z } from 'zod'
import { useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { Dialog, DialogForm } from '../../../ui/feedback/dialog.tsx'
import { TextArea } from '../../../ui/form/text-area.tsx'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { Text, TextInput } from '../../../ui/kit.ts'
import { MarkdownView } from '../markdown-view.tsx'
import { ANNOUNCEMENTS } from '../queries.ts'
import { localTime, timeOf } from './local-time.ts'
import { manageMessages as texts } from './messages.ts'

const Moment = z.string().refine((text) => text === '' || timeOf(text) !== undefined, texts.badTime)

const Fields = z.object({ title: AnnouncementTitle, content: AnnouncementContent, date: Moment, ends_at: Moment })

interface AnnouncementDialogProps {
  /** undefined: closed. */
  readonly edited: ManagedAnnouncement | 'new' | undefined
  readonly onClose: () => void
}

export function AnnouncementDialog({ edited, onClose }: AnnouncementDialogProps) {
  return (
    <Dialog
      opened={edited !== undefined}
      onClose={onClose}
      size="lg"
      title={edited === 'new' ? texts.createTitle : texts.editTitle}
    >
      {edited === undefined ? null : <Body announcement={edited === 'new' ? undefined : edited} onDone={onClose} />}
    </Dialog>
  )
}

interface BodyProps {
  readonly announcement: ManagedAnnouncement | undefined
  readonly onDone: () => void
}

function Body({ announcement, onDone }: BodyProps) {
  const { api } = useRuntime()
  const save = useAction({
    async call(body: AnnouncementFields) {
      if (announcement) await api.call(announcements.update, { params: { uuid: announcement.uuid }, body })
      else await api.call(announcements.create, { body })
    },
    done: ({ title }) => texts.saved(title),
    invalidates: [ANNOUNCEMENTS],
  })
  const before = localTime(announcement?.date)
  const form = useContractForm({
    schema: Fields,
    values: {
      title: announcement?.title ?? '',
      content: announcement?.content ?? '',
      date: before,
      ends_at: localTime(announcement?.ends_at ?? undefined),
    },
    labels: texts.labels,
    async send({ title, content, date, ends_at: end }) {
      // The field knows minutes only: what nobody has changed stays as it is.
      const from = date === before ? undefined : timeOf(date)
      await save.send({ title, content, ...(from === undefined ? {} : { date: from }), ends_at: timeOf(end) ?? null })
      onDone()
    },
  })
  const content = form.form.watch('content')
  return (
    <DialogForm form={form} failed={texts.saveFailed} submit={texts.save} onCancel={onDone}>
      <TextInput {...form.field('title')} data-autofocus autoComplete="off" />
      <TextArea {...form.field('content')} rows={8} description={texts.contentHint} />
      <TextInput {...form.field('date')} type="datetime-local" description={texts.dateHint} />
      <TextInput {...form.field('ends_at')} type="datetime-local" description={texts.endHint} />
      {content === '' ? null : (
        <section aria-label={texts.preview}>
          <Text size="sm" fw={600}>
            {texts.preview}
          </Text>
          <MarkdownView text={content} />
        </section>
      )}
    </DialogForm>
  )
}
