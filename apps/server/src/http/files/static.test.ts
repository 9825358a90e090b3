// Built pages: the file behind each address, and its headers.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { DOCS_ORIGIN } from '@bowline/contract/docs-origin'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { silentLog } from '../../platform/log.ts'
import { ownOrigin } from './addressed-files.ts'
import { inlineScriptHashes } from './inline-scripts.ts'
import { createHttpServer } from '../server.ts'
import { serveStatic } from './static.ts'

const INLINE = 'document.documentElement.dataset.theme = "dark"'
const FILES = {
  'console/index.html': '<title>console</title>',
  'console/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'console/assets/main-1a2b.js': 'export {}',
  'docs/index.html': `<title>docs</title><script>${INLINE}</script><script src=/docs/assets/js/main.js defer></script>`,
  'docs/404.html': '<title>nothing here</title>',
  // Layouts of the build: each page in a folder, with its canonical URL in its head.
  'docs/overview/faq/index.html': `<title>faq</title><link data-rh=true rel=canonical href=${DOCS_ORIGIN}/docs/overview/faq />`,
  'docs/overview/start/index.html': `<title>start</title><link rel="canonical" href="${DOCS_ORIGIN}/docs/overview/start/">`,
  'docs/assets/js/main.js': '',
  'secret.txt': 'outside of both folders',
}

let folder: string
let server: FastifyInstance
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-static-'))
  for (const [name, text] of Object.entries(FILES)) await write(name, text)
  server = await createHttpServer({
    isKnownHost: () => true,
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: ['127.0.0.1'],
  })
  await serveStatic(server, { console: join(folder, 'console'), docs: join(folder, 'docs') })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function write(name: string, text: string): Promise<void> {
  const file = join(folder, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers })
const page = { accept: 'text/html,application/xhtml+xml' }

describe('console', () => {
  it.each(['/', '/devices', '/devices/abc.def', '/apiary', '/docsomething'])(
    'serves the console at %s',
    async (url) => {
      const response = await get(url, page)
      expect([response.statusCode, response.body]).toEqual([200, '<title>console</title>'])
    },
  )

  it('serves the console at the root to programs that accept anything', async () => {
    expect((await get('/')).statusCode).toBe(200)
  })

  it.each(['/api', '/api/nothing', '/internal/x', '/agent/x', '/ws/ssh'])(
    'answers 404 instead of the console at %s',
    async (url) => {
      const response = await get(url, page)
      expect([response.statusCode, response.json()]).toMatchObject([404, { code: 'ROUTE_NOT_FOUND' }])
    },
  )

  it('answers 404 instead of the console to a program that requests a missing file', async () => {
    expect((await get('/devices', { accept: 'application/json' })).statusCode).toBe(404)
    expect((await get('/assets/gone.js')).statusCode).toBe(404)
  })

  it('caches console assets for ever and its page never', async () => {
    const asset = await get('/assets/main-1a2b.js')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await get('/', page)).headers['cache-control']).toBe('no-cache')
  })

  it.each(['/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt', '/%00.txt', '//secret.txt'])(
    'serves nothing from outside the console’s folder: %s',
    async (url) => {
      expect((await get(url)).statusCode).toBe(404)
    },
  )
})

describe('documentation', () => {
  it.each([
    ['/docs/', 'docs'],
    ['/docs/overview/faq', 'faq'],
    ['/docs/overview/start/', 'start'],
  ])('serves a documentation page at %s', async (url, title) => {
    const response = await get(url)
    expect([response.statusCode, response.body]).toEqual([200, expect.stringContaining(`<title>${title}</title>`)])
  })

  it.each([
    ['/docs', '/docs/'],
    ['/docs?q=1', '/docs/?q=1'],
    ['/docs/index.html', '/docs/'],
    ['/docs/overview/faq.html?a=b', '/docs/overview/faq?a=b'],
    ['/docs/overview/start/index.html', '/docs/overview/start/'],
    ['/docs/overview/start.html', '/docs/overview/start'],
    ['/docs/404.html', '/docs/404'],
  ])('redirects %s to %s', async (url, location) => {
    const response = await get(url)
    expect([response.statusCode, response.headers.location]).toEqual([301, location])
  })

  it('answers missing documentation pages with the documentation’s own 404 page', async () => {
    for (const url of ['/docs/nothing', '/docs/nothing.html', '/docs/404', '/docs/..%2fsecret.txt']) {
      const response = await get(url)
      expect([response.statusCode, response.body]).toEqual([404, '<title>nothing here</title>'])
    }
  })

  it('allows exactly the inline scripts of each documentation page', async () => {
    const csp = String((await get('/docs/')).headers['content-security-policy'])
    expect(csp).toContain(`script-src 'self' ${hashOf(INLINE)};`)
    expect(String((await get('/docs/overview/faq')).headers['content-security-policy'])).toContain("script-src 'self';")
  })

  it('updates script hashes when a page is rebuilt', async () => {
    await write('docs/new.html', '<script>1</script>')
    expect((await get('/docs/new')).headers['content-security-policy']).toContain(hashOf('1'))
    await write('docs/new.html', '<script>2</script>')
    await utimes(join(folder, 'docs/new.html'), 1, 1)
    const csp = (await get('/docs/new')).headers['content-security-policy']
    expect(csp).toContain(hashOf('2'))
    expect(csp).not.toContain(hashOf('1'))
  })
})

describe('inlineScriptHashes', () => {
  it('hashes every inline script that runs, once', () => {
    const html = [
      '<script>a()</script>',
      '<SCRIPT type="module">\r\nb()\r\n</SCRIPT>',
      '<script type=text/javascript>a()</script>',
      '<script src="/x.js">ignored()</script>',
      '<script data-rh=true type=application/ld+json>{"@context":"x"}</script>',
      '<script data-src="x">c()</script>',
    ].join('')
    expect(inlineScriptHashes(html)).toEqual([hashOf('a()'), hashOf('\nb()\n'), hashOf('c()')])
  })
})

describe('security headers', () => {
  const names = [
    'content-security-policy',
    'cross-origin-opener-policy',
    'referrer-policy',
    'strict-transport-security',
    'x-content-type-options',
    'x-frame-options',
  ]
  const headersOf = async (url: string, headers: Record<string, string>) => {
    const response = await get(url, headers)
    return Object.fromEntries(names.map((name) => [name, response.headers[name]]))
  }

  it('sends these security headers with the console', async () => {
    expect(await headersOf('/', page)).toMatchInlineSnapshot(`
      {
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "same-origin",
        "strict-transport-security": undefined,
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
      }
    `)
  })

  it('allows exactly the scripts that are in the page of the console', async () => {
    await write('console/other.html', '<script>first()</script><script src="/assets/a.js"></script>')
    const { headers } = await get('/other.html', page)
    expect(headers['content-security-policy']).toContain(`script-src 'self' ${hashOf('first()')};`)
  })

  it('sends these security headers with the docs', async () => {
    expect(await headersOf('/docs/', page)).toMatchInlineSnapshot(`
      {
        "content-security-policy": "default-src 'none'; script-src 'self' 'sha256-s9b79ftmUqh5oLc3vsxP1XpyEHpxmDhPPMBuKjX0/ys='; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "same-origin",
        "strict-transport-security": undefined,
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
      }
    `)
  })

  it('sends HSTS only over https', async () => {
    const https = await headersOf('/', { 'x-forwarded-proto': 'https', ...page })
    expect(https['strict-transport-security']).toBe('max-age=31536000')
    expect((await headersOf('/', page))['strict-transport-security']).toBeUndefined()
  })
})

describe('canonical URLs of the documentation', () => {
  it.each([
    ['/docs/overview/faq/', '/docs/overview/faq'],
    ['/docs/overview/faq/?q=x', '/docs/overview/faq?q=x'],
    ['/docs/overview/start', '/docs/overview/start/'],
    ['/docs/overview/start?q=x', '/docs/overview/start/?q=x'],
  ])('redirects %s to its canonical URL %s', async (asked, address) => {
    const response = await get(asked, page)
    expect([response.statusCode, response.headers.location]).toEqual([301, address])
    expect((await get(address, page)).statusCode).toBe(200)
  })
})

describe('server address in the documentation', () => {
  const NAMING = `<link rel="canonical" href="${DOCS_ORIGIN}/docs/named"><script>${INLINE}</script>`
  beforeAll(async () => {
    await write('docs/named.html', NAMING)
    // Precompressed by the build: must not be sent, it still has the placeholder.
    await write('docs/named.html.br', 'compressed with the placeholder')
    await write('docs/sitemap.xml', `<loc>${DOCS_ORIGIN}/docs/</loc>`)
  })

  it.each([
    [{ host: 'bowline.example:8443' }, 'http://bowline.example:8443'],
    [{ host: 'BOWLINE.example' }, 'http://bowline.example'],
    [{ host: '[::1]:8080' }, 'http://[::1]:8080'],
    [{ host: 'x', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'seen.example' }, 'https://seen.example'],
    [{ host: 'a"><script>' }, 'http://localhost'],
  ])('replaces the placeholder by the origin of the request: %j', async (headers, origin) => {
    expect((await get('/docs/sitemap.xml', headers)).body).toBe(`<loc>${origin}/docs/</loc>`)
  })

  it('replaces the placeholder in a compressed answer', async () => {
    const response = await get('/docs/named', { host: 'bowline.example', 'accept-encoding': 'gzip, br' })
    expect(response.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(brotliDecompressSync(response.rawPayload).toString()).toBe(
      NAMING.replaceAll(DOCS_ORIGIN, 'http://bowline.example'),
    )
  })

  it('keeps the script hashes of a page with a replaced placeholder', async () => {
    const { headers } = await get('/docs/named', { host: 'bowline.example' })
    expect(headers['content-security-policy']).toContain(hashOf(INLINE))
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('sends a different ETag for each host name', async () => {
    const etagOf = async (host: string) => String((await get('/docs/named', { host })).headers.etag)
    const [one, other] = [await etagOf('one.example'), await etagOf('other.example')]
    expect(one).not.toBe(other)
    const again = (etag: string) => get('/docs/named', { host: 'one.example', 'if-none-match': etag })
    expect([(await again(one)).statusCode, (await again(other)).statusCode]).toEqual([304, 200])
  })

  it('prefers the configured domain over another host name', () => {
    expect(ownOrigin('https', 'bowline.example:8443', 'bowline.example')).toBe('https://bowline.example:8443')
    expect(ownOrigin('http', '10.0.0.1:8080', 'bowline.example')).toBe('https://bowline.example')
  })
})

it('answers 503 with build instructions when the console is not built', async () => {
  const bare = await createHttpServer({
    clock: systemClock,
    log: silentLog,
    authenticator: { admit: (_, base) => Promise.resolve(base) },
    routes: [],
    trustedProxies: [],
    isKnownHost: () => true,
  })
  await serveStatic(bare, { console: join(folder, 'nothing'), docs: join(folder, 'nothing') })
  onTestFinished(() => bare.close())
  for (const url of ['/', '/setup?sign=x']) {
    const response = await bare.inject({ url, headers: page })
    expect([response.statusCode, response.body]).toEqual([503, expect.stringContaining('npm run build')])
  }
  expect((await bare.inject({ url: '/api/nothing' })).statusCode).toBe(404)
})
