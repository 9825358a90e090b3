// Palette items for sessions that are watched or ended while they run, or played afterwards.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CirclePlay, Eye, SquareX } from 'lucide-react'
import { useMayOn, usePerson, useRuntime } from '../../../core/context.tsx'
import { sessionListQuery } from '../../../features/sessions/queries.ts'
import { sessionFilter } from '../../../features/sessions/search.ts'
import { formatMoment } from '../../../ui/text/numbers.ts'
import type { PaletteControls } from '../controls.ts'
import { sessionLabel } from '../use-found-items.ts'
import type { VerbItems } from './use-verb-items.ts'
import { verbMessages as texts } from './verb-messages.ts'
import { type Said, isOfSession } from './verbs.ts'

const SHOWN = 8
const NO_DEVICE = { tags: [] }
const ICONS = { watch: Eye, play: CirclePlay, end: SquareX }

/**
 * @param said as typed; an action alone lists the latest sessions
 * @param searched what was typed before the latest pause
 */
export function useSessionVerbs(
  said: Said | undefined,
  searched: Said | undefined,
  { onAsk }: PaletteControls,
): VerbItems {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const navigate = useNavigate()
  const mayPlay = useMayOn('sessionPlay')
  const mayEnd = useMayOn('sessionClose')
  const asked = searched && isOfSession(searched) ? searched : undefined
  const enabled = asked !== undefined && tenant !== ''
  const state = asked?.verb === 'play' ? 'ended' : 'active'
  const recorded = asked?.verb === 'end' ? {} : ({ recorded: 'yes' } as const)
  const filter = sessionFilter({ q: asked?.object ?? '', state, ...recorded })
  const found = useQuery({ ...sessionListQuery(api, { page: 1, perPage: SHOWN, filter }), enabled })
  if (!said || !isOfSession(said)) return { items: [], searching: false }
  const { verb, object } = said
  const isCurrent = enabled && asked.verb === verb && asked.object === object && !found.isPlaceholderData
  const sessions = isCurrent ? (found.data?.items ?? []) : []
  return {
    searching: !isCurrent || found.isPending,
    items: sessions
      .filter(({ device }) => (verb === 'end' ? mayEnd : mayPlay)(device ?? NO_DEVICE))
      .map((session) => ({
        id: session.uid,
        group: texts.groups[verb],
        label: texts.does[verb](sessionLabel(session)),
        isMeant: true,
        note: formatMoment(session.started_at),
        icon: ICONS[verb],
        stays: verb === 'end',
        run() {
          if (verb === 'end') return onAsk({ what: 'end', session })
          const params = { uid: session.uid, seat: String(session.events.seats[0] ?? 0) }
          void navigate({ to: '/sessions/$uid/play/$seat', params })
        },
        open: () => void navigate({ to: '/sessions/$uid', params: { uid: session.uid } }),
      })),
  }
}
