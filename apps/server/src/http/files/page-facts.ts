// Caches facts derived from built pages until a page is rebuilt.
import { readFile, stat } from 'node:fs/promises'

/** @param derive from the page's HTML */
export function createPageFacts<Facts>(derive: (html: string) => Facts): (file: string) => Promise<Facts> {
  const known = new Map<string, { readonly mtimeMs: number; readonly facts: Facts }>()
  return async (file) => {
    const { mtimeMs } = await stat(file)
    const found = known.get(file)
    if (found?.mtimeMs === mtimeMs) return found.facts
    const facts = derive(await readFile(file, 'utf8'))
    known.set(file, { mtimeMs, facts })
    return facts
  }
}

/** True if the page's canonical URL ends with a slash; undefined without one. */
export function isCanonicalWithSlash(html: string): boolean | undefined {
  const [link = ''] = /<link\b[^>]*\brel=["']?canonical\b[^>]*>/i.exec(html) ?? []
  const [, address] = /\bhref=["']?([^"'\s>]+)/i.exec(link) ?? []
  return address?.endsWith('/')
}
