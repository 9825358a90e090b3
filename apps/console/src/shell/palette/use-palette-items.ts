// What the palette lists for the typed text.
import { useDebouncedValue } from '@mantine/hooks'
import { BookOpen } from 'lucide-react'
import type { PaletteControls } from './controls.ts'
import { type PaletteItem, inGroups, isCertain, isNamed, matching } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { nearest } from './nearest.ts'
import { promptItems, useActionItems } from './use-action-items.ts'
import { useDeviceSearch } from './use-device-search.ts'
import { useEmptyItems } from './use-empty-items.ts'
import { useFoundItems } from './use-found-items.ts'
import { usePageItems } from './use-page-items.ts'
import { useSectionItems } from './use-section-items.ts'
import { useSessionVerbs } from './verbs/use-session-verbs.ts'
import { useVerbItems } from './verbs/use-verb-items.ts'
import { verbMessages } from './verbs/verb-messages.ts'
import { type Said, isOfSession, saidIn } from './verbs/verbs.ts'

export interface PaletteContent {
  readonly items: readonly PaletteItem[]
  readonly searching: boolean
  readonly failed: boolean
  /** True for an item that better ones which come later do not take the place of. */
  readonly isCertain: (item: PaletteItem) => boolean
  /** What to type after an action; undefined without one. */
  readonly hint: string | undefined
}

/** Debounce: long enough that a word typed quickly sends one request. */
const TYPING_MS = 100

/**
 * What is known here is listed at once; what the server finds joins it later.
 * @param words as typed, without spaces around
 * @param allPages every page is listed where nothing is typed
 */
export function usePaletteItems(words: string, allPages: boolean, on: PaletteControls): PaletteContent {
  const [searched] = useDebouncedValue(words, TYPING_MS)
  const said = saidIn(words)
  const searchedFor = saidIn(searched)
  const pages = usePageItems()
  const actions = useActionItems(on)
  const sections = useSectionItems()
  const devices = useDeviceSearch(words, searched, on.onMore)
  const verbs = useVerbItems(said, searchedFor, on)
  const ofSessions = useSessionVerbs(said, searchedFor, on)
  const others = useFoundItems(words, searched)
  const empty = useEmptyItems({ pages, actions, sections }, allPages, on)
  if (words === '') return { items: empty, searching: false, failed: false, isCertain: () => true, hint: undefined }
  const prompts = promptItems(on).filter(({ id }) => id !== `prompt.${said?.verb ?? ''}`)
  const local = [...actions, ...prompts, ...pages, ...sections, documentation]
  const exact = matching(local, words)
  const fixed = exact.length > 0 ? exact : nearest(local, words)
  const meant = [...verbs.items, ...ofSessions.items, ...pagesFor(said, pages)]
  const all = inGroups([...devices.items, ...fixed, ...others.items], words, texts.groups.docs)
  const isDocs = ({ group }: PaletteItem) => group === texts.groups.docs
  const isGuess = said?.isGuess === true
  // A device or a page that has these words at the start of its name is what they ask for, rather than an action.
  const isAhead = (item: PaletteItem) => !isDocs(item) && (isNamed(item, words) || (isGuess && isCertain(item, words)))
  const named = meant.length > 0 ? all.filter(isAhead) : []
  // Chapters with a word of an action are not what is meant by it.
  const isAside = (item: PaletteItem) => meant.length > 0 && isDocs(item)
  return {
    items: [...named, ...meant, ...all.filter((item) => !named.includes(item) && !isAside(item))],
    searching: devices.searching || others.searching || verbs.searching || ofSessions.searching,
    failed: devices.failed,
    // An action is about devices that may still be on their way.
    isCertain: (item) => (said && !isGuess ? item.isMeant === true || isAhead(item) : isCertain(item, words)),
    hint: said && said.object === '' ? hintOf(said) : undefined,
  }
}

/** `open settings` */
function pagesFor(said: Said | undefined, pages: readonly PaletteItem[]): PaletteItem[] {
  return said?.verb === 'open' && said.object !== '' ? matching(pages, said.object) : []
}

function hintOf(said: Said): string {
  if (isOfSession(said)) return verbMessages.hintSessions
  return said.verb === 'accept' || said.verb === 'reject' ? verbMessages.hintPending : verbMessages.hint
}

const documentation: PaletteItem = {
  id: '/docs/',
  group: texts.groups.docs,
  label: texts.documentation,
  synonyms: texts.synonyms.docs,
  icon: BookOpen,
  run: () => void window.open('/docs/', '_blank', 'noopener'),
}
