// Button that asks the person in a running web terminal to let one type in it.
import type { Session } from '@bowline/contract/schemas/session'
import { useNavigate } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useMay, useRuntime, useStore } from '../../../core/context.tsx'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { sessionsMessages as texts } from '../messages.ts'

/** Renders nothing for sessions that nobody can be asked in, and for one's own. */
export function JoinButton({ session }: { readonly session: Session }) {
  const may = useMay('deviceConnect')
  const navigate = useNavigate()
  const signedIn = useStore(useRuntime().session.state)
  const { active, type, term, person, device, uid } = session
  const isOwn = signedIn.kind === 'signed-in' && signedIn.person.id === person?.id
  if (!active || type !== 'web' || term === '' || !person || !device || isOwn) return null
  return (
    <GatedButton
      variant="default"
      may={may}
      why={texts.roleTooLow}
      leftSection={<Users size={16} aria-hidden />}
      onClick={() => void navigate({ to: '/terminal', search: { join: uid } })}
    >
      {texts.join}
    </GatedButton>
  )
}
