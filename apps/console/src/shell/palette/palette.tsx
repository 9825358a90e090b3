// The command palette: one field that finds devices, pages and actions. What an action asks before it is done, a dialog asks in
// its place.
import { useState } from 'react'
import { useDialogFile } from '../../core/use-dialog-file.ts'
import { useDeviceActions } from '../../features/devices/actions.ts'
import { pageFile } from '../../platform/page-files.ts'
import { Modal } from '../../ui/kit.ts'
import { type BodyProps, PaletteBody } from './body.tsx'
import type { Question } from './controls.ts'
import { paletteMessages as texts } from './messages.ts'

const loadRemove = pageFile(() => import('../../features/devices/remove-device.tsx'))
const loadReplace = pageFile(() => import('../../features/devices/replace-device.tsx'))
const loadRun = pageFile(() => import('../../features/commands/run-command.tsx'))
const loadEnd = pageFile(() => import('../../features/sessions/actions/end-session.tsx'))

/** Open while mounted. */
export function Palette(props: Omit<BodyProps, 'onAsk'>) {
  const [question, setQuestion] = useState<Question>()
  if (question) return <Asked question={question} onClose={props.onClose} />
  return (
    <Modal
      opened
      onClose={props.onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      size={560}
      padding={0}
      attributes={{ content: { 'aria-label': texts.label } }}
    >
      <PaletteBody {...props} onAsk={setQuestion} />
    </Modal>
  )
}

interface AskedProps<Of extends Question> {
  readonly question: Of
  readonly onClose: () => void
}

type OfDevice = Extract<Question, { device: unknown }>
type OfSession = Exclude<Question, OfDevice>

function Asked({ question, onClose }: AskedProps<Question>) {
  return question.what === 'end' ? (
    <AskedOfSession question={question} onClose={onClose} />
  ) : (
    <AskedOfDevice question={question} onClose={onClose} />
  )
}

function AskedOfSession({ question: { session }, onClose }: AskedProps<OfSession>) {
  const end = useDialogFile(loadEnd, true, onClose)
  return end ? <end.EndSession session={session} opened onClose={onClose} /> : null
}

function AskedOfDevice({ question: { what, device }, onClose }: AskedProps<OfDevice>) {
  const actions = useDeviceActions()
  const removal = useDialogFile(loadRemove, what === 'remove', onClose)
  const replacement = useDialogFile(loadReplace, what === 'replace', onClose)
  const command = useDialogFile(loadRun, what === 'run', onClose)
  if (what === 'remove') {
    return removal ? (
      <removal.RemoveDevice device={device} onClose={onClose} onConfirm={() => void actions.run('remove', device)} />
    ) : null
  }
  if (what === 'run') {
    return command ? <command.RunCommand devices={[device]} offline={0} onClose={onClose} /> : null
  }
  return replacement && device.replaces ? (
    <replacement.ReplaceDevice
      device={device}
      replaced={device.replaces}
      opened
      onClose={onClose}
      onConfirm={() => void actions.run('accept', device)}
    />
  ) : null
}
