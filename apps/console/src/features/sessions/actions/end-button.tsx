// Button that ends a running session, and its key.
import type { Session } from '@bowline/contract/schemas/session'
import { SquareX } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../../core/context.tsx'
import { SESSION_KEYS } from '../../../core/shortcuts.ts'
import { useScreenKey } from '../../../core/use-screen-key.ts'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { sessionsMessages as texts } from '../messages.ts'
import { EndSession } from './end-session.tsx'

/** Renders nothing for sessions that are over. */
export function EndButton({ session }: { readonly session: Session }) {
  return session.closed ? null : <RunningSession session={session} />
}

function RunningSession({ session }: { readonly session: Session }) {
  const may = useMay('sessionClose', session.device)
  const [asking, setAsking] = useState(false)
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
      <EndSession session={session} opened={asking} onClose={() => setAsking(false)} />
    </>
  )
}
