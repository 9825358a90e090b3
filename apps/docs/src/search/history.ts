// Recent and favourite searches, stored in this browser.
import type { Hit } from './hit.ts'

/** The stored part of a hit. */
export type Kept = Pick<Hit, 'objectID' | 'url' | 'type' | 'hierarchy'> & { readonly content: null }

const KEYS = { recent: 'docs-search-recent', favorites: 'docs-search-favorites' } as const
const MAX_RECENT = 7
const MAX_RECENT_WITH_FAVORITES = 4
const MAX_FAVORITES = 10

export interface History {
  readonly recent: readonly Kept[]
  readonly favorites: readonly Kept[]
}

export function readHistory(): History {
  const favorites = read(KEYS.favorites).slice(0, MAX_FAVORITES)
  const most = favorites.length > 0 ? MAX_RECENT_WITH_FAVORITES : MAX_RECENT
  return { recent: read(KEYS.recent).slice(0, most), favorites }
}

/** Records an opened hit; for a paragraph, its page. A favourite stays one. */
export function remember(hit: Pick<Hit, 'objectID' | 'url' | 'type' | 'hierarchy'>): void {
  const isText = hit.type === 'content'
  const kept: Kept = {
    objectID: hit.objectID,
    url: isText ? (hit.url.split('#')[0] ?? hit.url) : hit.url,
    type: isText ? 'lvl1' : hit.type,
    hierarchy: hit.hierarchy,
    content: null,
  }
  if (read(KEYS.favorites).some(({ url }) => url === kept.url)) return
  write(KEYS.recent, [kept, ...read(KEYS.recent).filter(({ url }) => url !== kept.url)].slice(0, MAX_RECENT))
}

/** Promotes a recent search to a favourite: it is removed from the recent ones. */
export function promote(kept: Kept): void {
  forget('recent', kept)
  const others = read(KEYS.favorites).filter(({ url }) => url !== kept.url)
  write(KEYS.favorites, [kept, ...others].slice(0, MAX_FAVORITES))
}

export function forget(list: keyof typeof KEYS, { url }: Pick<Kept, 'url'>): void {
  write(
    KEYS[list],
    read(KEYS[list]).filter((kept) => kept.url !== url),
  )
}

function read(key: string): Kept[] {
  try {
    const list = JSON.parse(localStorage.getItem(key) ?? '[]') as unknown
    return Array.isArray(list) ? list.filter(isKept) : []
  } catch {
    return []
  }
}

function isKept(value: unknown): value is Kept {
  return typeof value === 'object' && value !== null && 'url' in value && 'hierarchy' in value
}

function write(key: string, list: readonly Kept[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list))
  } catch {
    // Without storage there is no history.
  }
}
