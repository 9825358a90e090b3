// Groups hits by section of the site (lvl0), then by page (lvl1).
import type { Hit } from './hit.ts'

export const MAX_GROUP_HITS = 5

export interface Group {
  readonly title: string
  readonly hits: readonly GroupedHit[]
}

export interface GroupedHit extends Hit {
  /** Belongs to the page above it. */
  readonly __child: 'none' | 'middle' | 'last'
}

/** Groups ordered by their best hit; at most five hits each, hits of one page together. */
export function groupHits(hits: readonly Hit[]): Group[] {
  const byPart = Map.groupBy(hits, ({ hierarchy }) => hierarchy.lvl0 ?? 'Documentation')
  return [...byPart].map(([title, all]) => {
    const byPage = Map.groupBy(all.slice(0, MAX_GROUP_HITS), ({ hierarchy }) => hierarchy.lvl1 ?? '')
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
