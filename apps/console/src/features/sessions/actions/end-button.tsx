// Button that ends a running session, and its key.
import { sessions } from '@bowline/contract/operations/sessions'
import type { Session } from '@bowline/contract/schemas/session'
import { SquareX } from 'lucide-react'
import { useState } from 'react'
import { useMay, useRuntime } from '../../../core/context.tsx'
import { SESSION_KEYS } from '../../../core/shortcuts.ts'
import { useAction } from '../../../core/use-action.ts'
import { useScreenKey } from '../../../core/use-screen-key.ts'
import { keys } from '../../../live/apply-events.ts'
import { Confirm } from '../../../ui/feedback/confirm.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { Text } from '../../../ui/kit.ts'
import { sessionsMessages as texts } from '../messages.ts'
import { nameOf } from '../session-name.ts'

/** Renders nothing for sessions that are over. */
export function EndButton({ session }: { readonly session: Session }) {
  return session.closed ? null : <RunningSession session={session} />
}

function RunningSession({ session }: { readonly session: Session }) {
  const { api } = useRuntime()
  const may = useMay('sessionClose', session.device)
  const [asking, setAsking] = useState(false)
  const end = useAction({
    call: () => api.call(sessions.close, { params: { uid: session.uid }, body: { device: session.device_uid } }),
    done: texts.endDone,
    failed: texts.endFailed,
    invalidates: [keys.sessions],
  })
  const ask = () => setAsking(true)
  useScreenKey({ id: 'session.end', usual: [SESSION_KEYS.end] }, may ? ask : undefined)
  return (
    <>
      <GatedButton
        color="red.8"
        may={may}
        why={texts.roleTooLow}
        leftSection={<SquareX size={16} aria-hidden />}
        onClick={ask}
      >
        {texts.end}
      </GatedButton>
      <Confirm
        opened={asking}
        title={texts.endTitle(nameOf(session))}
        action={texts.end}
        onClose={() => setAsking(false)}
        onConfirm={() => void end.run()}
      >
        <Text size="sm">{texts.endText}</Text>
      </Confirm>
    </>
  )
}
