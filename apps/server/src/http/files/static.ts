// The console at `/` and the documentation at `/docs/`: built files, with the content security policy of each.
import { stat } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import fastifyStatic from '@fastify/static'
import { BowlineError } from '@bowline/contract/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createAddressedFiles, ownOrigin } from './addressed-files.ts'
import { inlineScriptHashes } from './inline-scripts.ts'
import { createPageFacts, isCanonicalWithSlash } from './page-facts.ts'

/** @param scripts sources beside the files of this server */
function policy(scripts: readonly string[] = []): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Paths of API calls, and of what devices fetch, are not pages of the console. */
const CALLS = /^(api|internal|agent|apt|ws)(\/|$)/

export interface StaticFolders {
  /** Absolute folder of the built console. */
  readonly console: string
  /** Absolute folder of the built documentation. */
  readonly docs: string
  /** Counts views of documentation pages; otherwise the script that sends them is empty. */
  readonly pageViews?: boolean
  /** Public host name of this server, for its address in the documentation. */
  readonly domain?: string | undefined
}

/** Content types of files that may contain the server's address. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.xml': 'application/xml',
}
const STRICT = policy()

function setFileHeaders(reply: Pick<FastifyReply, 'hasHeader' | 'header'>, path: string): void {
  if (!reply.hasHeader('content-security-policy')) void reply.header('content-security-policy', STRICT)
  if (/[.]html([.](br|gz))?$/.test(path)) void reply.header('cross-origin-opener-policy', 'same-origin')
  // Built assets carry a hash in their name and never change.
  const forEver = /(^|\/)assets\//.test(path)
  void reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'no-cache')
}

/** Serves both; a folder that has not been built answers 404 until it is. */
export async function serveStatic(server: FastifyInstance, folders: StaticFolders): Promise<void> {
  const scriptHashes = createPageFacts(inlineScriptHashes)
  const hasSlash = createPageFacts(isCanonicalWithSlash)
  const readAddressed = createAddressedFiles()
  await server.register(fastifyStatic, {
    root: [folders.console],
    serve: false,
    // The builds leave compressed files beside those worth compressing.
    preCompressed: true,
    setHeaders: setFileHeaders,
  })
  server.get('/docs', async (request, reply) => {
    // The router ignores trailing slashes, so the root of the docs arrives here as well.
    const [path, query] = splitQuery(request.url)
    if (path !== '/docs/') return reply.redirect(`/docs/${query}`, 301)
    return sendDocs('', query, request, reply)
  })
  server.get('/docs/*', (request, reply) => {
    const [, query] = splitQuery(request.url)
    return sendDocs((request.params as { '*': string })['*'], query, request, reply)
  })

  server.get('/docs/page-views.js', async (request, reply) => {
    if (folders.pageViews) return sendDocs('page-views.js', '', request, reply)
    return reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send('')
  })

  async function sendDocs(
    path: string,
    query: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    // A page has one address, whether its file is `faq.html` or `faq/index.html`.
    const clean = path.replace(/(^|\/)index\.html$|\.html$/, '$1')
    if (clean !== path && (await firstFile(folders.docs, [join(clean, 'index.html'), `${clean}.html`]))) {
      return reply.redirect(`/docs/${clean.split('/').map(encodeURIComponent).join('/')}${query}`, 301)
    }
    const file = await firstFile(folders.docs, [path, join(path, 'index.html'), `${path.replace(/\/$/, '')}.html`])
    // With or without a trailing slash, as the page's canonical URL.
    const [asked] = splitQuery(request.url)
    const name = path.replace(/\/$/, '')
    const withSlash = file?.endsWith('.html') && name !== '' ? await hasSlash(join(folders.docs, file)) : undefined
    if (withSlash !== undefined && asked.endsWith('/') !== withSlash) {
      const address = name.split('/').map(encodeURIComponent).join('/')
      return reply.redirect(`/docs/${address}${asked.endsWith('/') ? '' : '/'}${query}`, 301)
    }
    const shown = file ?? (await firstFile(folders.docs, ['404.html']))
    if (shown === undefined)
      throw new BowlineError('NOT_FOUND', { what: 'The documentation, which `npm run build` makes,' })
    if (shown === '404.html') void reply.status(404)
    if (shown.endsWith('.html')) {
      // Docusaurus sets the colour mode by an inline script before the first paint.
      const hashes = await scriptHashes(join(folders.docs, shown))
      void reply.header('content-security-policy', policy(hashes))
    }
    const origin = ownOrigin(request.protocol, request.host, folders.domain)
    const accepted = request.headers['accept-encoding'] ?? ''
    const encoding = /(^|[ ,])br($|[ ,;])/.test(accepted) ? 'br' : /(^|[ ,])gzip($|[ ,;])/.test(accepted) ? 'gzip' : ''
    const addressed = await readAddressed(join(folders.docs, shown), origin, encoding)
    if (!addressed) return reply.sendFile(shown, folders.docs)
    setFileHeaders(reply, shown)
    void reply.header('vary', 'accept-encoding').header('etag', addressed.etag)
    if (request.headers['if-none-match'] === addressed.etag) return reply.status(304).send()
    if (encoding) void reply.header('content-encoding', encoding)
    return reply.type(TYPES[extname(shown)] ?? 'text/plain; charset=utf-8').send(addressed.body)
  }

  server.get('/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*']
    const isPage = path === '' || ((request.headers.accept ?? '').includes('text/html') && !CALLS.test(path))
    // The console routes every page address that is not a file.
    const file = await firstFile(folders.console, [path, ...(isPage ? ['index.html'] : [])])
    if (file === undefined && isPage && !(await isBuilt(folders.console))) {
      return reply.status(503).type('text/plain; charset=utf-8').send(`${CONSOLE_NOT_BUILT}\n`)
    }
    if (file === undefined) throw new BowlineError('ROUTE_NOT_FOUND', { method: request.method, path: `/${path}` })
    if (file.endsWith('.html')) {
      // What the first paint and the first answers need is in the page itself.
      void reply.header('content-security-policy', policy(await scriptHashes(join(folders.console, file))))
    }
    return reply.sendFile(file, folders.console)
  })
}

/** Shown in place of the console. */
export const CONSOLE_NOT_BUILT =
  'The console is not built: run `npm run build` in the checkout. A release brings it along.'

/** True if a folder holds a built site. */
export async function isBuilt(folder: string): Promise<boolean> {
  return (await firstFile(folder, ['index.html'])) !== undefined
}

/** The raw path, and the raw query with its question mark. */
function splitQuery(url: string): [path: string, query: string] {
  const at = url.indexOf('?')
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at)]
}

/** The first path that names a file inside the folder, normalised. Paths that lead out of it name none. */
async function firstFile(folder: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const file = join(folder, path)
    if (!file.startsWith(`${folder}/`) || !/\.[a-z0-9]+$/i.test(file)) continue
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile()) return relative(folder, file)
  }
  return undefined
}
