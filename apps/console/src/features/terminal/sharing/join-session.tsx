// Asks to join the terminal of the session that the URL names, once, and then clears the parameter.
import { SessionUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { sessionQuery } from '../../sessions/queries.ts'
import { workspaceOf } from '../workspace.ts'
import { sharingMessages as texts } from './messages.ts'

export function JoinSession({ uid }: { readonly uid: string }) {
  const runtime = useRuntime()
  const navigate = useNavigate()
  const isUid = SessionUid.safeParse(uid).success
  const query = useQuery({ ...sessionQuery(runtime.api, uid as SessionUid), enabled: isUid })
  const session = query.data
  useEffect(() => {
    if (isUid && !session) return
    if (session?.device) workspaceOf(runtime).open(session.device).join(session.uid, session.username)
    void navigate({ to: '/terminal', search: {}, replace: true })
  }, [runtime, navigate, session, isUid])
  if (!query.isError) return null
  return <ErrorPanel title={texts.failed} error={query.error} onRetry={() => query.refetch()} />
}
