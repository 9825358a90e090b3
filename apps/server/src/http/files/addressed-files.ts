// Documentation files that contain the server's own address. The build leaves a placeholder, because it does not know
// where it will be served; here it is replaced by the address in the reader's request.
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import { DOCS_ORIGIN } from '@bowline/contract/docs-origin'

const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)

/** Content encoding; '' for none. */
export type FileEncoding = 'br' | 'gzip' | ''

/** Limit of all cached variants; the least recently used are evicted. */
const CACHE_BYTES = 32 * 1024 * 1024
/** Nearly the best ratio for text, and fast enough to run while a client waits. */
const BROTLI_QUALITY = 5
const TEXT = /\.(html|js|json|md|txt|xml)$/

export interface AddressedFile {
  readonly body: Buffer
  /** Strong validator: differs by origin and by encoding. */
  readonly etag: string
}

/**
 * @param file absolute
 * @param origin that takes the placeholder's place
 * @returns undefined when the file has no placeholder and can be sent as it is
 */
export type ReadAddressed = (file: string, origin: string, encoding: FileEncoding) => Promise<AddressedFile | undefined>

export function createAddressedFiles(): ReadAddressed {
  /** Placeholder found, by file, until the file is rebuilt. */
  const marked = new Map<string, { readonly mtimeMs: number; readonly has: boolean }>()
  const cache = new Map<string, AddressedFile>()
  let bytes = 0

  async function isMarked(file: string, mtimeMs: number): Promise<boolean> {
    const known = marked.get(file)
    if (known?.mtimeMs === mtimeMs) return known.has
    const has = (await readFile(file)).includes(DOCS_ORIGIN)
    marked.set(file, { mtimeMs, has })
    return has
  }

  function keep(key: string, made: AddressedFile): void {
    bytes += made.body.length - (cache.get(key)?.body.length ?? 0)
    cache.delete(key)
    cache.set(key, made)
    for (const [oldest, { body }] of cache) {
      if (bytes <= CACHE_BYTES) return
      cache.delete(oldest)
      bytes -= body.length
    }
  }

  return async (file, origin, encoding) => {
    if (!TEXT.test(file)) return undefined
    const { mtimeMs } = await stat(file)
    if (!(await isMarked(file, mtimeMs))) return undefined
    const key = JSON.stringify([file, mtimeMs, origin, encoding])
    const known = cache.get(key)
    if (known) {
      cache.delete(key)
      cache.set(key, known)
      return known
    }
    const text = (await readFile(file, 'utf8')).replaceAll(DOCS_ORIGIN, origin)
    const body = await encode(text, encoding)
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    const made = { body, etag }
    keep(key, made)
    return made
  }
}

async function encode(text: string, encoding: FileEncoding): Promise<Buffer> {
  if (encoding === 'br') return brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
  return encoding === 'gzip' ? gzip(text) : Buffer.from(text)
}

/** A host name or IP literal with an optional port, as in URLs: no character can break out of an attribute. */
const HOST = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/**
 * The origin of this server for readers: that of the request, if it is the configured one or none is configured.
 * @param scheme `http` or `https`, of the request after trusted proxies
 * @param host of the request, likewise
 * @param domain public name of the server, if there is one
 */
export function ownOrigin(scheme: string, host: string, domain: string | undefined): string {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  if (HOST.test(host) && (domain === undefined || name === domain.toLowerCase()))
    return `${scheme}://${host.toLowerCase()}`
  return domain === undefined ? `${scheme}://localhost` : `https://${domain}`
}
