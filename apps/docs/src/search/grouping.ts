// Hits under their part of the site (lvl0), and there under their page (lvl1).
import type { Hit } from './hit.ts'

export const MOST_IN_GROUP = 5

export interface Group {
  readonly title: string
  readonly hits: readonly GroupedHit[]
}

export interface GroupedHit extends Hit {
  /** Belongs below the page that stands before it. */
  readonly __child: 'none' | 'middle' | 'last'
}

/** Groups in the order of their best hit; at most five hits each, those of one page together. */
export function groupHits(hits: readonly Hit[]): Group[] {
  const byPart = Map.groupBy(hits, ({ hierarchy }) => hierarchy.lvl0 ?? 'Documentation')
  return [...byPart].map(([title, all]) => {
    const byPage = Map.groupBy(all.slice(0, MOST_IN_GROUP), ({ hierarchy }) => hierarchy.lvl1 ?? '')
    return { title, hits: [...byPage.values()].flatMap((page) => underTheirPage(page)) }
  })
}

function underTheirPage(page: readonly Hit[]): GroupedHit[] {
  const head = page.find(({ type }) => type === 'lvl1')
  if (!head) return page.map((hit) => ({ ...hit, __child: 'none' }))
  const children = page.filter((hit) => hit !== head)
  return [
    { ...head, __child: 'none' },
    ...children.map((hit, index) => ({
      ...hit,
      __child: index === children.length - 1 ? ('last' as const) : ('middle' as const),
    })),
  ]
}
