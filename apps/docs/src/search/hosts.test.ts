// Tests of search host selection and failover. (In Node the client uses another transport; the host selection is the
// same.)
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
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
  /** Resolves on the first request. */
  readonly firstAsked: Promise<void>
  /** Releases the withheld response. */
  readonly answer: () => void
}

/**
 * @param status of every response; undefined: the connection is reset; 'silent': 200, when the test releases it;
 *   'slow': headers at once, the body when the test releases it
 */
async function host(status: number | 'silent' | 'slow' | undefined): Promise<Host> {
  let asked = 0
  let notifyAsked = (): void => undefined
  const firstAsked = new Promise<void>((resolve) => (notifyAsked = resolve))
  const withheld: (() => void)[] = []
  const server = createServer((request, response) => {
    asked += 1
    notifyAsked()
    request.resume()
    if (status === undefined) return void request.socket.destroy()
    response.statusCode = typeof status === 'number' ? status : 200
    const answer = () => void response.end(JSON.stringify({ results: [{ hits: [], nbHits: 0, nbPages: 0 }] }))
    if (typeof status === 'number') return answer()
    if (status === 'slow') response.flushHeaders()
    withheld.push(answer)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(() => closed()))
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    firstAsked,
    answer: () => withheld.splice(0).forEach((answer) => answer()),
  }
}

/** Resolves when a client of this process has received response headers. */
function headOfAnswer(): Promise<void> {
  const channel = 'http.client.response.finish'
  return new Promise((resolve) => {
    const onHead = (): void => {
      unsubscribe(channel, onHead)
      resolve()
    }
    subscribe(channel, onHead)
  })
}

/** A tab of the site on one host that knows others. */
async function tab(own: Host, others: readonly Host[], changed: Partial<SearchSettings> = {}) {
  vi.stubGlobal('location', { origin: own.address })
  const { searchClient, isUnreachable } = await import('./hosts.ts')
  const client = searchClient({ ...settings, hosts: others.map(({ address }) => `${address}/prefix/`), ...changed })
  const ask = () => client.search({ requests: [{ indexName: 'docs', query: `${Math.random()}` }] })
  const write = () => client.customPost({ path: '1/events', body: { events: [] } })
  return { ask, write, isUnreachable }
}

describe('search hosts', () => {
  it.each([undefined, 500])('tries the next host in order when one fails: %s', async (status) => {
    const [bad, good] = [await host(status), await host(200)]
    const { ask } = await tab(bad, [good])
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([1, 1])
  })

  it('avoids failed hosts for two minutes', async () => {
    const [bad, good] = [await host(500), await host(200)]
    const { ask } = await tab(bad, [good])
    await ask()
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([1, 2])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 119_000 })
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([1, 3])
    vi.setSystemTime(Date.now() + 2_000)
    await ask()
    expect([bad.asked(), good.asked()]).toEqual([2, 4])
  })

  it.each([
    ['connect', 'silent', 'ask', 1_000],
    ['read', 'slow', 'ask', 2_000],
    ['write', 'slow', 'write', 30_000],
  ] as const)('times out a host after a limit to %s: %s, %s, %i ms', async (_, status, kind, timeoutMs) => {
    for (const [waitedMs, asked] of [
      [timeoutMs - 1, 0],
      [timeoutMs, 1],
    ] as const) {
      vi.resetModules()
      const [first, second] = [await host(status), await host(200)]
      const site = await tab(first, [second])
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const head = headOfAnswer()
      const answer = site[kind]()
      await (status === 'slow' ? head : first.firstAsked)
      vi.advanceTimersByTime(waitedMs)
      first.answer()
      await answer
      vi.useRealTimers()
      expect([waitedMs, second.asked()]).toEqual([waitedMs, asked])
    }
  })

  it('does not try the next host after a 4xx answer', async () => {
    const [refusing, good] = [await host(403), await host(200)]
    const { ask, isUnreachable } = await tab(refusing, [good])
    const error: unknown = await ask().catch((failure: unknown) => failure)
    expect([refusing.asked(), good.asked(), isUnreachable(error)]).toEqual([1, 0, false])
  })

  it('reports the search as unreachable when every host fails', async () => {
    const [one, two] = [await host(undefined), await host(500)]
    const { ask, isUnreachable } = await tab(one, [two])
    const error: unknown = await ask().catch((failure: unknown) => failure)
    expect(isUnreachable(error)).toBe(true)
  })

  it('requires an application id and a key', async () => {
    const own = await host(200)
    await expect(tab(own, [], { appId: '' })).rejects.toThrow('`appId` is missing.')
    await expect(tab(own, [], { apiKey: '' })).rejects.toThrow('`apiKey` is missing.')
  })
})
