// Binds the player to its route.
import { SessionUid } from '@bowline/contract/schemas/common'
import { getRouteApi } from '@tanstack/react-router'
import { NotFoundInShell } from '../../core/not-found-page.tsx'
import { PlayerPage } from './player-page.tsx'

const route = getRouteApi('/app/sessions/$uid/play/$seat')

export function PlayerRoute() {
  const { uid, seat } = route.useParams()
  const search = route.useSearch()
  const parsed = SessionUid.safeParse(uid)
  if (!parsed.success || !/^\d{1,5}$/.test(seat)) return <NotFoundInShell />
  return <PlayerPage key={`${uid} ${seat}`} uid={parsed.data} seat={seat} search={search} />
}
