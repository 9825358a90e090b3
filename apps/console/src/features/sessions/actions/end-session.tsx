// Asks before a running session is ended.
import { sessions } from '@bowline/contract/operations/sessions'
import type { Session } from '@bowline/contract/schemas/session'
import { useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { Text } from '../../../ui/kit.ts'
import { sessionsMessages as texts } from '../messages.ts'
import { nameOf } from '../session-name.ts'

interface EndSessionProps {
  readonly session: Session
  readonly opened: boolean
  readonly onClose: () => void
}

export function EndSession({ session, opened, onClose }: EndSessionProps) {
  const { api } = useRuntime()
  const end = useAction({
    call: () => api.call(sessions.close, { params: { uid: session.uid }, body: { device: session.device_uid } }),
    done: texts.endDone,
    failed: texts.endFailed,
    invalidates: [keys.sessions],
  })
  return (
    <Confirm
      opened={opened}
      title={texts.endTitle(nameOf(session))}
      action={texts.end}
      onClose={onClose}
      onConfirm={() => void end.run()}
    >
      <Text size="sm">{texts.endText}</Text>
    </Confirm>
  )
}
