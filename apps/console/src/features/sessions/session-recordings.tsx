// Recordings of a session, one for each channel with output: verify, download, delete.
import { sessions } from '@bowline/contract/operations/sessions'
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import type { RecordingVerdict, Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { Download, ShieldCheck, ShieldX, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Button, Group, Text } from '../../ui/kit.ts'
import { GatedButton } from '../../ui/feedback/gated.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { PlayLink } from './actions/play-link.tsx'
import { sessionRecordingsQuery } from './queries.ts'
import { RecordingSummary } from './recording/recording-summary.tsx'
import { sessionsMessages as texts } from './messages.ts'
import classes from './sessions.module.css'

export function SessionRecordings({ session }: { readonly session: Session }) {
  const may = useMay('sessionPlay', session.device)
  const { api } = useRuntime()
  const listed = useQuery({ ...sessionRecordingsQuery(api, session.uid), enabled: may && session.recorded })
  const { seats } = session.events
  return (
    <SectionCard title={texts.recording} {...(may ? {} : { text: texts.recordingRole })}>
      {may
        ? (seats.length ? seats : [0]).map((seat) => (
            <Recording
              key={seat}
              session={session}
              seat={seat}
              isOnly={seats.length < 2}
              listed={listed.data?.find((recording) => recording.seat === seat)}
            />
          ))
        : null}
    </SectionCard>
  )
}

interface RecordingProps {
  readonly session: Session
  readonly seat: number
  /** The session has no other recording: its channel needs no name. */
  readonly isOnly: boolean
  /** Undefined until it is known. */
  readonly listed: ListedRecording | undefined
}

function Recording({ session, seat, isOnly, listed }: RecordingProps) {
  const { api } = useRuntime()
  const mayRemove = useMay('sessionRemove', session.device)
  const [verdict, setVerdict] = useState<RecordingVerdict>()
  const [removing, setRemoving] = useState(false)
  const params = { uid: session.uid, seat: String(seat) }

  const verify = useAction({
    async call() {
      const { body } = await api.call(sessions.verifyRecord, { params })
      setVerdict(body)
      return body
    },
    done: (_, { result }) => texts.verified[result],
    failed: texts.verifyFailed,
  })
  const download = useAction({
    async call() {
      const response = await api.open(sessions.getRecord, { params, query: { format: 'cast3' } })
      saveFile(await response.blob(), `session-${session.uid.slice(0, 12)}-${seat}.cast`)
    },
    failed: texts.downloadFailed,
  })
  const remove = useAction({
    call: () => api.call(sessions.removeRecord, { params }),
    done: texts.recordingRemoved,
    failed: texts.removeRecordingFailed,
    invalidates: [keys.sessions, keys.recordingLists],
  })
  return (
    <div className={classes['recording']}>
      <div>
        {isOnly ? null : (
          <Text size="sm" fw={550}>
            {texts.recordingOf(seat)}
          </Text>
        )}
        {listed ? <RecordingSummary recording={listed} /> : null}
        {verdict ? <Verdict verdict={verdict} /> : null}
      </div>
      <Group gap="xs">
        <PlayLink session={session} seat={seat} />
        <Button size="compact-sm" variant="default" onClick={() => void verify.run()}>
          {texts.verify}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          onClick={() => void download.run()}
        >
          {texts.download}
        </Button>
        <GatedButton
          size="compact-sm"
          variant="default"
          may={mayRemove}
          why={texts.roleTooLow}
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={() => setRemoving(true)}
        >
          {texts.removeRecording}
        </GatedButton>
      </Group>
      <Confirm
        opened={removing}
        title={texts.removeRecordingTitle}
        action={texts.removeRecording}
        onClose={() => setRemoving(false)}
        onConfirm={() => void remove.run()}
      >
        <Text size="sm">{texts.removeRecordingText}</Text>
      </Confirm>
    </div>
  )
}

function Verdict({ verdict: { result, complete, ending, message } }: { readonly verdict: RecordingVerdict }) {
  const isBad = result === 'tampered' || result === 'missing'
  const Icon = isBad ? ShieldX : ShieldCheck
  return (
    <span className={classes['verdict']} data-result={result}>
      <Icon size={15} aria-hidden />
      {texts.verified[result]}
      {ending === null || complete ? '' : `. ${texts.incomplete}`}
      {isBad ? `. ${message}` : ''}
    </span>
  )
}
