// Palette items for pages of the console.
import { useNavigate } from '@tanstack/react-router'
import { Files, KeyRound, LayoutList, UserRound } from 'lucide-react'
import { usePerson } from '../../core/context.tsx'
import { appMessages } from '../../core/messages.ts'
import { type SectionPath, sectionGroups } from '../../core/sections.ts'
import { teamMessages } from '../../features/team/messages.ts'
import type { PaletteItem } from './items.ts'
import { paletteMessages as texts } from './messages.ts'

/** Pages of the palette that nobody has typed in yet; the others are one step away. */
const USUAL: readonly SectionPath[] = [
  '/devices',
  '/sessions',
  '/terminal',
  '/recordings',
  '/public-keys',
  '/firewall',
  '/settings',
]

const SYNONYMS: Partial<Record<SectionPath, string>> = {
  '/': texts.synonyms.pages.health,
  '/sessions': texts.synonyms.pages.sessions,
  '/install-keys': texts.synonyms.pages.installKeys,
  '/access-requests': texts.synonyms.pages.accessRequests,
  '/alerts': texts.synonyms.pages.alerts,
  '/team': texts.synonyms.pages.team,
}

function synonymsOf(to: SectionPath): { readonly synonyms?: string } {
  const synonyms = SYNONYMS[to]
  return synonyms === undefined ? {} : { synonyms }
}

/** Every page. */
export function usePageItems(): PaletteItem[] {
  const person = usePerson()
  const navigate = useNavigate()
  const group = texts.groups.pages
  const sections = sectionGroups(person).flatMap(({ sections: pages }) =>
    pages.map(({ to, label, icon, key }) => ({
      id: to,
      group,
      label,
      icon,
      hint: `g ${key}`,
      run: () => void navigate({ to }),
      ...synonymsOf(to),
    })),
  )
  return [
    ...sections,
    {
      id: '/profile',
      group,
      label: texts.profile,
      synonyms: texts.synonyms.profile,
      icon: UserRound,
      run: () => void navigate({ to: '/profile' }),
    },
    {
      id: '/profile/keys',
      group,
      label: appMessages.keys,
      synonyms: texts.synonyms.vault,
      icon: KeyRound,
      run: () => void navigate({ to: '/profile/keys' }),
    },
    {
      id: '/team?tab=keys',
      group,
      label: teamMessages.tabs.keys,
      synonyms: texts.synonyms.apiKeys,
      icon: Files,
      run: () => void navigate({ to: '/team', search: { tab: 'keys', page: 1 } }),
    },
  ]
}

/**
 * Pages where nothing is typed: the usual ones, and a way to all.
 * @param onAll lists all; undefined: they are listed
 */
export function usualPages(pages: readonly PaletteItem[], onAll: (() => void) | undefined): PaletteItem[] {
  const group = texts.groups.goTo
  if (!onAll) return pages.map((page) => ({ ...page, group }))
  const usual = USUAL.flatMap((path) => pages.filter(({ id }) => id === path).map((page) => ({ ...page, group })))
  const all = { id: 'all', group, label: texts.allPages, icon: LayoutList, run: onAll, stays: true as const }
  return [...usual, all]
}
