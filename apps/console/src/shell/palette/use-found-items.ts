// Palette items that the words find beside devices: sessions, keys, members, tags, namespaces, pages of the documentation.
import type { Session } from '@bowline/contract/schemas/session'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { BookOpen, Boxes, History, KeyRound, Tags, UserRound } from 'lucide-react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { ownNamespacesQuery, namespaceQuery } from '../../features/namespaces/queries.ts'
import { useSwitchNamespace } from '../../features/namespaces/use-switch-namespace.ts'
import { publicKeyListQuery } from '../../features/public-keys/queries.ts'
import { sessionListQuery } from '../../features/sessions/queries.ts'
import { sessionFilter } from '../../features/sessions/search.ts'
import { nameOf } from '../../features/sessions/session-name.ts'
import { tagsQuery } from '../../features/tags/queries.ts'
import { docsQuery } from './docs-query.ts'
import { type PaletteItem, matching } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { formatMoment } from '../../ui/text/numbers.ts'

/** Characters; fewer would find nearly everything. */
const WORDS_MIN = 2
const SHOWN = 4
const SHOWN_SESSIONS = 5

interface Found {
  readonly items: readonly PaletteItem[]
  readonly searching: boolean
}

/**
 * @param words as typed; fewer than two characters find nothing
 * @param searched the words after a pause in typing, which the server searches
 */
export function useFoundItems(words: string, searched: string): Found {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const navigate = useNavigate()
  const switchTo = useSwitchNamespace()
  const isAsked = words.length >= WORDS_MIN
  const isSearched = isAsked && searched.length >= WORDS_MIN
  const enabled = isAsked && tenant !== ''
  const sessions = useQuery({
    ...sessionListQuery(api, {
      page: 1,
      perPage: SHOWN_SESSIONS,
      filter: sessionFilter({ q: searched }),
      sort: 'active',
      order: 'desc',
    }),
    enabled: enabled && isSearched,
  })
  const keys = useQuery({ ...publicKeyListQuery(api, { page: 1, words: searched }), enabled: enabled && isSearched })
  const namespace = useQuery({ ...namespaceQuery(api, tenant), enabled })
  const tags = useQuery({ ...tagsQuery(api), enabled })
  const namespaces = useQuery({ ...ownNamespacesQuery(api), enabled: isAsked })
  const docs = useQuery({ ...docsQuery(searched), placeholderData: keepPreviousData, enabled: isSearched })
  if (!isAsked) return { items: [], searching: false }
  const has = (text: string): boolean => text.toLowerCase().includes(words.toLowerCase())
  const { groups } = texts
  const members = (namespace.data?.members ?? []).filter(({ status, email }) => status === 'accepted' && has(email))
  const others = (namespaces.data ?? [])
    .filter(({ tenant_id }) => tenant_id !== tenant)
    .map((other) => ({
      id: other.tenant_id,
      group: groups.namespaces,
      label: texts.switchTo(other.name),
      synonyms: texts.synonyms.switchTo,
      icon: Boxes,
      run: () => void switchTo.run(other),
    }))
  // Answers for earlier words stay as long as their label fits: the server may have found them by something else.
  const isCurrent = words === searched
  const foundBy = (list: { readonly isPlaceholderData: boolean }) =>
    isCurrent && !list.isPlaceholderData ? { found: true as const } : {}
  return {
    searching:
      enabled &&
      (!isCurrent || [sessions, keys].some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData)),
    items: [
      ...(sessions.data?.items ?? []).map((session) => ({
        id: session.uid,
        group: groups.sessions,
        ...foundBy(sessions),
        label: sessionLabel(session),
        note: session.active ? texts.active : formatMoment(session.started_at),
        icon: History,
        run: () => void navigate({ to: '/sessions/$uid', params: { uid: session.uid } }),
      })),
      ...(keys.data?.items ?? []).slice(0, SHOWN).map(({ fingerprint, name }) => ({
        id: fingerprint,
        group: groups.keys,
        ...foundBy(keys),
        label: name,
        icon: KeyRound,
        run: () => void navigate({ to: '/public-keys', search: { q: name } }),
      })),
      ...members.slice(0, SHOWN).map(({ id, email, role }) => ({
        id,
        group: groups.members,
        label: email,
        note: role,
        icon: UserRound,
        run: () => void navigate({ to: '/team' }),
      })),
      ...(tags.data ?? [])
        .filter(has)
        .slice(0, SHOWN)
        .map((tag) => ({
          id: tag,
          group: groups.tags,
          label: tag,
          icon: Tags,
          run: () => void navigate({ to: '/devices', search: { tag: [tag] } }),
        })),
      ...matching(others, words).slice(0, SHOWN),
      ...(docs.data ?? []).slice(0, SHOWN).map(({ url, title }) => ({
        id: url,
        group: groups.docs,
        ...foundBy(docs),
        label: title,
        icon: BookOpen,
        run: () => void window.open(url, '_blank', 'noopener'),
      })),
    ],
  }
}

/** `root@lab-nas, ada@example.com`, with the command where there was one. */
export function sessionLabel(session: Session): string {
  const { person, command } = session
  return [nameOf(session), person?.name, command].filter(Boolean).join(', ')
}
