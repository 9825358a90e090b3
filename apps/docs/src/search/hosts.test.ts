// The hosts of the search service: which one is asked, and what happens when one does not answer. (In Node, where the
// client has another way to send; what decides is the same.)
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SearchSettings } from './settings.ts'

const settings: SearchSettings = {
  appId: 'docs',
  apiKey: 'public',
  indexName: 'docs',
  hosts: [],
  missingResultsUrl: '',
}
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
  vi.resetModules()
  for (const close of closers.splice(0)) await close()
})

interface Host {
  readonly address: string
  readonly asked: () => number
}

/** @param status of every answer; undefined: the connection is cut */
async function host(status: number | undefined): Promise<Host> {
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    request.resume()
    if (status === undefined) return void request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ results: [{ hits: [], nbHits: 0, nbPages: 0 }] }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closers.push(() => new Promise((closed) => server.close(() => closed())))
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked }
}

/** A tab of the site at one host that knows others. */
async function tab(own: Host, others: readonly Host[], changed: Partial<SearchSettings> = {}) {
  vi.stubGlobal('location', { origin: own.address })
  const { searchClient, isUnreachable } = await import('./hosts.ts')
  const client = searchClient({ ...settings, hosts: others.map(({ address }) => `${address}/prefix/`), ...changed })
  const ask = () => client.search({ requests: [{ indexName: 'docs', query: `${Math.random()}` }] })
  return { ask, isUnreachable }
}

describe('search hosts', () => {
  it.each([undefined, 500])('are tried in order, the next one when one fails: %s', async (status) => {
    const [bad, good] = [await host(status), await host(200)]
    const { ask } = await tab(bad, [good])
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([1, 1])
  })

  it('that failed are avoided for two minutes', async () => {
    const [bad, good] = [await host(500), await host(200)]
    const { ask } = await tab(bad, [good])
    await ask()
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([1, 2])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 121_000 })
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([2, 3])
  })

  it('are not tried again after an answer of 4xx', async () => {
    const [refusing, good] = [await host(403), await host(200)]
    const { ask, isUnreachable } = await tab(refusing, [good])
    const error: unknown = await ask().catch((failure: unknown) => failure)
    expect([refusing.asked(), good.asked(), isUnreachable(error)]).toEqual([1, 0, false])
  })

  it('are unreachable when every one of them is', async () => {
    const [one, two] = [await host(undefined), await host(500)]
    const { ask, isUnreachable } = await tab(one, [two])
    const error: unknown = await ask().catch((failure: unknown) => failure)
    expect(isUnreachable(error)).toBe(true)
  })

  it('need an application id and a key', async () => {
    const own = await host(200)
    await expect(tab(own, [], { appId: '' })).rejects.toThrow('`appId` is missing.')
    await expect(tab(own, [], { apiKey: '' })).rejects.toThrow('`apiKey` is missing.')
  })
})
