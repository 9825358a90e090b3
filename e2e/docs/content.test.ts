// Contents and delivery of the documentation: every required page, commands that work, links that resolve, search that
// finds.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { allOperations, operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOCS_PAGES } from '../../apps/console/src/shell/docs/pages.ts'
import { root } from '../support/product.ts'
import { register, waitingDevice } from '../support/registrations.ts'
import { type Client, type Server, startServer } from '../support/server.ts'
import { repeatedBy, shortForm } from '../../scripts/short-form.ts'
import { PAGES } from './pages.ts'
import relevance from './relevance.json' with { type: 'json' }
import { type RunnablePage, runPage, runnablePages } from './runnable.ts'

let server: Server
let docs: string
let client: Client
const run = promisify(execFile)
beforeAll(async () => {
  server = await startServer({ env: { BOWLINE_TUNNELS_DOMAIN: 'tunnels.test', BOWLINE_TUNNELS_TLS_PORT: '0' } })
  docs = `${server.origin}/docs/`
  client = await server.client()
})
afterAll(() => server.remove())

const textOf = async (path: string): Promise<string> => (await fetch(`${docs}${path}`)).text()

describe('the pages', () => {
  it('has every required page, each with a title and content', async () => {
    const wrong: string[] = []
    for (const path of PAGES) {
      const response = await fetch(`${docs}${path}`, { redirect: 'manual' })
      const html = await response.text()
      const words = html.replaceAll(/<(script|style|nav)[\s\S]*?<\/\1>|<[^>]*>/g, ' ').split(/\s+/).length
      if (response.status !== 200 || !html.includes('<h1') || (path !== 'search' && words < 100)) {
        wrong.push(`${path}: ${response.status}, ${words} words`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('has one API page for each operation of each edition', async () => {
    const sitemap = await textOf('sitemap.xml')
    const paths = [...sitemap.matchAll(/<loc>[^<]*\/docs\/([^<]*)<\/loc>/g)].map(([, path = '']) => path)
    for (const edition of ['community', 'cloud']) {
      const expected = allOperations().filter(
        ({ operation }) => operation.access.kind !== 'internal' && (edition === 'cloud' || !operation.cloudOnly),
      )
      expect(paths.filter((path) => path.startsWith(`developers/openapi/${edition}/`))).toHaveLength(expected.length)
    }
    const missing = PAGES.filter((path) => path !== 'search' && !paths.includes(path))
    expect(missing).toEqual([])
  })

  it('has every page, and on it the part, that a screen of the console links to', async () => {
    const dead: string[] = []
    for (const [screen, address] of Object.entries(DOCS_PAGES)) {
      const { pathname, hash } = new URL(address, server.origin)
      const response = await fetch(server.origin + pathname)
      const html = await response.text()
      const isThere = hash === '' || new RegExp(`\\bid="?${hash.slice(1)}["\\s>]`).test(html)
      if (response.status !== 200 || !isThere) dead.push(`${screen}: ${address}`)
    }
    expect(dead).toEqual([])
    expect(Object.keys(DOCS_PAGES)).toContain('/devices')
  })

  it('answers 404 with the not-found page for unknown paths', async () => {
    const response = await fetch(`${docs}overview/nothing`)
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('Page Not Found')])
  })

  it('serves every page as Markdown too, all linked from llms.txt', async () => {
    expect(await textOf('self-hosted/configuring.md')).toMatch(/^# Configuring\n[\s\S]*### `BOWLINE_HOST`/)
    const list = await textOf('llms.txt')
    const own = list.replaceAll(`](${server.origin}/`, '](/')
    const links = [...own.matchAll(/\]\((\/docs\/[^)]*)\)/g)].map(([, path = '']) => path)
    expect(links.length).toBeGreaterThan(PAGES.length)
    const wrong: string[] = []
    for (const link of links) {
      if ((await fetch(`${server.origin}${link}`)).status !== 200) wrong.push(link)
    }
    expect(wrong).toEqual([])
  })

  it('names the server that a page was loaded from, compressed or not', async () => {
    for (const path of ['overview/faq', 'sitemap.xml', 'llms.txt', 'overview/faq.md']) {
      const text = await textOf(path)
      const plain = (await run('curl', ['-fsS', `${docs}${path}`])).stdout
      expect([path, text === plain, text.includes('docs-origin.invalid')]).toEqual([path, true, false])
    }
    expect(await textOf('sitemap.xml')).toContain(`<loc>${server.origin}/docs/overview/faq</loc>`)
    expect(await textOf('llms-full.txt')).not.toMatch(/\]\([^) ]* [^)"]*\)/)
  })

  it('serves pages compressed, and their assets with endless caching', async () => {
    // fetch hides the encoding of a response.
    const headersOf = async (address: string, encoding = 'br'): Promise<string> =>
      (await run('curl', ['-s', '-D-', '-o', '/dev/null', '-H', `Accept-Encoding: ${encoding}`, address])).stdout
    const page = await headersOf(`${docs}overview/faq`)
    expect(page).toMatch(/content-encoding: br/i)
    expect(page).toMatch(/content-type: text\/html/i)
    expect(page).toMatch(/vary: accept-encoding/i)
    expect(await headersOf(`${docs}overview/faq`, 'gzip')).toMatch(/content-encoding: gzip/i)
    const script = /href="?(\/docs\/assets\/js\/main[^" >]*)/.exec(await textOf('overview/faq'))?.[1] ?? ''
    const asset = await headersOf(`${server.origin}${script}`)
    expect(asset).toMatch(/content-encoding: br/i)
    expect(asset).toMatch(/cache-control: public, max-age=31536000, immutable/i)
  })

  it('has no source links where no repository is configured', async () => {
    expect(await textOf('overview/faq')).not.toMatch(/Edit this page|theme-edit-this-page/)
  })

  it('sends no requests to third parties', async () => {
    for (const path of ['', 'self-hosted/configuring', 'developers/openapi/community/devices-list']) {
      const html = await textOf(path)
      const loaded = [...html.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]*)"/g)].map(([, to]) => to)
      expect(loaded.filter((to) => !to?.startsWith(`${server.origin}/docs/`))).toEqual([])
    }
  })
})

describe(`commands${repeatedBy}`, async () => {
  const pages = (await runnablePages()).filter(({ needs }) => !needs.has('cloud'))

  it('finds executable commands on many pages', () => {
    expect(pages.length).toBeGreaterThan(15)
  })

  it.each(shortForm(pages, 2).map((page) => [page.page, page] as const))(
    'runs the commands of %s',
    async (_, page) => {
      expect((await runPage(page, await environment(page))).stderr).toBe('')
    },
    300_000,
  )
})

describe('search', () => {
  it('finds the right page first for 42 of 44 questions at least', async () => {
    const wrong: string[] = []
    for (const [query = '', expected] of relevance) {
      const hits = await search(query)
      if (hits[0] !== expected) wrong.push(`${query}: ${hits.slice(0, 3).join(', ')} instead of ${expected}`)
    }
    expect(relevance).toHaveLength(44)
    expect(wrong.slice(2)).toEqual([])
  })
})

async function search(query: string): Promise<string[]> {
  const credentials = 'x-algolia-api-key=public&x-algolia-application-id=docs'
  const response = await fetch(`${server.origin}/1/indexes/*/queries?${credentials}`, {
    method: 'POST',
    body: JSON.stringify({ requests: [{ indexName: 'docs', query }] }),
  })
  const { results } = (await response.json()) as { results: [{ hits: { url: string }[] }] }
  return results[0].hits.map(({ url }) => url.replace(docs, ''))
}

async function acceptedDevice(name: string) {
  const uid = await pendingDevice(name)
  await client.call(operations.devices.setStatus, { params: { uid, status: 'accept' } })
  return uid
}

async function pendingDevice(name: string) {
  await register(server, name)
  const { body } = await client.call(operations.devices.list, { query: { status: 'pending' } })
  const found = body.find((device) => device.name === name)
  if (!found) throw new Error(`${name} has not registered`)
  return found.uid
}

let count = 0
/** Environment of a page's commands. */
async function environment({ needs }: RunnablePage): Promise<Record<string, string>> {
  count += 1
  // A page before may have ended the earlier sign-ins.
  client = await server.client()
  const { body } = await client.call(operations.auth.login, { body: server.account })
  return {
    BOWLINE_DATA_DIR: server.dataFolder,
    SERVER: server.origin,
    TENANT: server.tenant,
    TOKEN: body.token,
    SIGN_IN_NAME: server.account.username,
    SIGN_IN_PASSWORD: server.account.password,
    DEVICE: await acceptedDevice(`device-${count}`),
    ...(needs.has('pending') ? { PENDING: await pendingDevice(`pending-${count}`) } : {}),
    ...(needs.has('code') ? await waitingDevice(server, `waiting-${count}`) : {}),
    ...(needs.has('colleague') ? { COLLEAGUE: await createUser(`colleague${count}`) } : {}),
    ...(needs.has('member') ? { MEMBER: await addMember(await createUser(`member${count}`)) } : {}),
  }
}

/** @returns the e-mail address of a new account */
async function createUser(name: string): Promise<string> {
  const email = `${name}@example.com`
  const command = ['apps/server/src/main.ts', 'user', 'create', name, 'correct horse', email]
  await run(process.execPath, command, {
    cwd: root,
    env: { PATH: process.env['PATH'], BOWLINE_DATA_DIR: server.dataFolder },
  })
  return email
}

async function addMember(email: string): Promise<string> {
  const { body } = await client.call(operations.members.add, {
    params: { tenant: server.tenant },
    body: { email, role: 'operator' },
  })
  return body.members.find((member) => member.email === email)?.id ?? ''
}
