// Watchers of a pane's session.
import { sessions } from '@bowline/contract/operations/sessions'
import { SessionUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { keys } from '../../../live/apply-events.ts'
import { WatchedBy } from '../../sessions/watched-by.tsx'
import type { Pane } from './pane.ts'
import classes from '../terminal.module.css'

export function PaneWatchers({ pane }: { readonly pane: Pane }) {
  const { api } = useRuntime()
  const uid = SessionUid.safeParse(pane.remote()?.session()).data
  // Events of the session bring the later ones.
  const { data } = useQuery({
    queryKey: keys.watchersOf(uid ?? ''),
    queryFn: async ({ signal }) =>
      uid ? ((await api.call(sessions.get, { params: { uid }, signal })).body.watchers ?? []) : [],
    enabled: uid !== undefined,
    staleTime: Infinity,
  })
  return (
    <output className={classes['watchers']}>
      <WatchedBy watchers={data} />
    </output>
  )
}
