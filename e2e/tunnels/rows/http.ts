// What every client and service of HTTP does, in all pairs of HTTP/1.1 and HTTP/2.
import { randomBytes } from 'node:crypto'
import { ask, outcomeOf, sha256 } from '../client.ts'
import type { Explanation, Protocol, Row, ServiceName, Site } from '../row.ts'

type Feature = (site: Site) => Promise<unknown>

/** What it was asked and answered, where `SITE` stands for the address that the client has used. */
const asks =
  (path: string, asked: Parameters<typeof ask>[1] = {}): Feature =>
  async (site) => {
    const text = JSON.stringify(outcomeOf(await ask(site, { path, ...asked })))
    return JSON.parse(text.replaceAll(`${site.scheme}://${site.authority}`, 'SITE'))
  }

interface Mirrored {
  readonly url: string
  readonly headers: Record<string, string>
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'REPORT', 'M-SEARCH']

const NODE: Readonly<Record<string, Feature>> = {
  'every method': async (site) => {
    const seen: unknown[] = []
    for (const method of METHODS) {
      const mirrored = JSON.parse(String((await ask(site, { method, path: '/mirror' })).body)) as Mirrored
      // Clients of HTTP/1.1 say so where there is no body.
      if (mirrored.headers['content-length'] === '0') delete mirrored.headers['content-length']
      seen.push(mirrored)
    }
    return seen
  },
  'paths and queries as they are': async (site) => {
    const paths = [
      '/mirror/a%2Fb//c/../d?x=1&y',
      '/mirror/%zz',
      '/mirror?%00',
      '/mirror;v=1?a=b?c',
      '/mirror/%C3%A9+~!$',
    ]
    const seen: unknown[] = []
    for (const path of paths) seen.push((JSON.parse(String((await ask(site, { path })).body)) as Mirrored).url)
    return seen
  },
  'headers of the request': asks('/mirror', {
    headers: {
      authorization: 'Bearer own',
      accept: 'text/html;q=0.9',
      cookie: 'a=1; b=2',
      'x-own': 'v',
      origin: 'https://o',
    },
  }),
  'bytes beyond ASCII in a header of the request': asks('/mirror', { headers: { 'x-high': 'caf\u00e9' } }),
  'headers of 12 KB in the request': asks('/mirror', { headers: { 'x-wide': 'w'.repeat(12_000) } }),
  'headers of 13 KB in the answer': asks('/wide'),
  'repeated, empty and high headers of the answer, cookies': asks('/fields'),
  'a body of known length': asks('/echo', { method: 'POST', body: 'a body' }),
  'an empty body': asks('/mirror', { method: 'POST', body: '' }),
  'a body of DELETE': asks('/mirror', { method: 'DELETE', body: 'why' }),
  'chunked both ways': asks('/echo', { method: 'POST', body: ['one ', 'two ', 'three'] }),
  'trailers both ways': asks('/pieces', { method: 'POST', body: ['one ', 'two'], trailers: { 'x-after': 'the end' } }),
  '8 MiB both ways': async (site) => {
    const body = randomBytes(8 * 1024 * 1024)
    const answer = await ask(site, { method: 'PUT', path: '/echo', body })
    if (sha256(answer.body) !== sha256(body)) throw new Error('other bytes came back')
    return answer.status
  },
  '100 Continue': asks('/mirror', { method: 'POST', body: 'after it', expectsContinue: true }),
  '417 in place of 100 Continue': asks('/refuse', { method: 'POST', body: 'never sent', expectsContinue: true }),
  'an answer before the body has been read': asks('/early', { method: 'POST', body: Buffer.alloc(4 * 1024 * 1024) }),
  HEAD: asks('/length', { method: 'HEAD' }),
  '204': asks('/status?code=204'),
  '304': asks('/status?code=304', { headers: { 'if-none-match': '"1"' } }),
  'an unassigned status': asks('/status?code=599'),
  '103 Early Hints': asks('/hints'),
  'a service that breaks off in the middle': async (site) => {
    const end = await ask(site, { path: '/break' }).then(
      () => 'complete',
      () => 'broken off',
    )
    if (end === 'complete') throw new Error('half an answer was taken for a whole one')
    return end
  },
}

const NGINX: Readonly<Record<string, Feature>> = {
  'a file': asks('/page.html'),
  'a file of 8 MiB': asks('/large'),
  'HEAD of a file': asks('/large', { method: 'HEAD' }),
  'a range': asks('/letters', { headers: { range: 'bytes=2-5' } }),
  'the last bytes': asks('/letters', { headers: { range: 'bytes=-3' } }),
  'a range of a large file': asks('/large', { headers: { range: 'bytes=4194304-' } }),
  'several ranges': async (site) => {
    const { status, body } = await ask(site, { path: '/letters', headers: { range: 'bytes=0-1,4-5' } })
    // The boundary differs each time.
    return [status, String(body).replaceAll(/--\d+/g, '--')]
  },
  'a range beyond the end': asks('/letters', { headers: { range: 'bytes=100-' } }),
  'a range of another version': asks('/letters', { headers: { range: 'bytes=0-1', 'if-range': '"other"' } }),
  '304 by date': asks('/letters', { headers: { 'if-modified-since': 'Tue, 14 Nov 2023 22:13:20 GMT' } }),
  '412': asks('/letters', { headers: { 'if-unmodified-since': 'Tue, 14 Nov 2000 22:13:20 GMT' } }),
  gzip: asks('/long.txt', { headers: { 'accept-encoding': 'gzip' } }),
  'an unknown page': asks('/nowhere'),
  'a redirect': asks('/moved'),
  'a redirect to a folder': asks('/folder'),
  '204': asks('/empty'),
  '418': asks('/coffee'),
  'a sign-in of the service': asks('/secret/', { headers: { authorization: 'Basic eDp5' } }),
  'an upload': async (site) => {
    const path = `/uploads/${site.name}`
    const body = randomBytes(2 * 1024 * 1024)
    const put = await ask(site, { method: 'PUT', path, body })
    const got = await ask(site, { path })
    const removed = await ask(site, { method: 'DELETE', path })
    return [put.status, got.body.equals(body), removed.status, (await ask(site, { path })).status]
  },
  'an upload without a length': async (site) => {
    const path = `/uploads/pieces-${site.name}`
    const { status } = await ask(site, { method: 'PUT', path, body: ['one ', 'two'] })
    return [status, String((await ask(site, { path })).body), (await ask(site, { method: 'DELETE', path })).status]
  },
  'an upload that is too large': asks('/small', { method: 'POST', body: Buffer.alloc(1024 * 1024) }),
}

const NO_HINTS: Explanation = {
  why: 'interim answers other than 100 are not passed on',
  turns: (direct: { informational: number[] }) => ({ ...direct, informational: [] }),
}

const EXPLAINED: Readonly<Record<string, Explanation>> = { '103 Early Hints': NO_HINTS }

function pairs(service: ServiceName, features: Readonly<Record<string, Feature>>): Row[] {
  return (['HTTP/1.1', 'HTTP/2'] satisfies Protocol[]).flatMap((client) =>
    Object.entries(features).map(([feature, run]) => ({
      service,
      client,
      feature,
      run,
      explained: EXPLAINED[feature],
    })),
  )
}

export const httpRows: readonly Row[] = [
  ...pairs('nginx', NGINX),
  ...pairs('Node HTTP/1.1', NODE),
  ...pairs('Node HTTP/2', NODE),
]
