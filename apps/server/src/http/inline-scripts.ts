// Hashes of the inline scripts of built pages, for a content security policy that lets exactly those run.
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'

/** `'sha256-…'` sources of a page's inline scripts, in their order (CSP level 3, section 2.3.1). */
export function inlineScriptHashes(html: string): string[] {
  const hashes = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
    .filter(([, attributes = '']) => !/\ssrc\b/i.test(attributes) && isJavaScript(attributes))
    // What is hashed is what the browser's parser sees, and that has no carriage returns.
    .map(([, , text = '']) => createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('base64'))
  return [...new Set(hashes)].map((hash) => `'sha256-${hash}'`)
}

/** Data blocks, such as JSON-LD, do not run and need no leave to. */
function isJavaScript(attributes: string): boolean {
  const type = /\stype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1]?.toLowerCase() ?? ''
  return ['', 'module', 'text/javascript', 'application/javascript'].includes(type)
}

/** Reads pages' hashes and remembers them until the page is built anew. */
export function createScriptHashes(): (file: string) => Promise<readonly string[]> {
  const known = new Map<string, { readonly mtimeMs: number; readonly hashes: readonly string[] }>()
  return async (file) => {
    const { mtimeMs } = await stat(file)
    const found = known.get(file)
    if (found?.mtimeMs === mtimeMs) return found.hashes
    const hashes = inlineScriptHashes(await readFile(file, 'utf8'))
    known.set(file, { mtimeMs, hashes })
    return hashes
  }
}
