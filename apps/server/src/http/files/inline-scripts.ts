// Hashes of the inline scripts of built pages, for a content security policy that allows exactly those.
import { createHash } from 'node:crypto'

/** `'sha256-…'` sources of a page's inline scripts, in their order (CSP level 3, section 2.3.1). */
export function inlineScriptHashes(html: string): string[] {
  const hashes = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
    .filter(([, attributes = '']) => !/\ssrc\b/i.test(attributes) && isJavaScript(attributes))
    // Browsers hash the text after parsing, which has no carriage returns.
    .map(([, , text = '']) => createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('base64'))
  return [...new Set(hashes)].map((hash) => `'sha256-${hash}'`)
}

/** Data blocks such as JSON-LD do not run and need no hash. */
function isJavaScript(attributes: string): boolean {
  const type = /\stype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1]?.toLowerCase() ?? ''
  return ['', 'module', 'text/javascript', 'application/javascript'].includes(type)
}
