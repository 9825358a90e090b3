// Access to `/metrics`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'

const status = async (server: BootedServer, headers: Record<string, string>) =>
  (await server.fetch('/metrics', { headers })).status

/** One server for the tests of a block. */
function useServer(settings: Record<string, string>): () => BootedServer {
  const booted: BootedServer[] = []
  beforeAll(async () => {
    booted.push(await bootServer({ settings }))
  })
  afterAll(async () => {
    for (const server of booted) await server.close()
  })
  return () => booted[0] ?? expect.unreachable()
}

describe('metrics', () => {
  const server = useServer({ BOWLINE_METRICS_SOURCES: '192.0.2.0/24' })

  it('serves metrics in Prometheus text format to callers with the node secret', async () => {
    const response = await server().fetch('/metrics', { headers: server().nodeHeaders })
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    for (const name of ['bowline_agents 0', 'bowline_ssh_connections 0', 'bowline_event_listeners 0']) {
      expect(text).toMatch(new RegExp(`^${name}$`, 'm'))
    }
    expect(text).toContain('nodejs_eventloop_lag_seconds')
    expect(Number(/^process_open_fds (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(2)
    // Their collection walks all connections.
    expect(text).not.toContain('nodejs_active_')
  })

  it.each(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'])(
    'hides metrics from requests through a local proxy: %s',
    async (header) => {
      const response = await server().fetch('/metrics', { headers: { [header]: '127.0.0.1' } })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'ROUTE_NOT_FOUND', message: 'There is no GET /metrics.' })
    },
  )

  it('hides metrics from local callers without the node secret', async () => {
    expect(await status(server(), {})).toBe(404)
    expect(await status(server(), { 'x-node-secret': 'a secret that somebody guessed' })).toBe(404)
  })

  it('ignores a forged X-Forwarded-For when checking metrics sources', async () => {
    expect(await status(server(), { 'x-forwarded-for': '192.0.2.9' })).toBe(404)
  })
})

describe('metrics behind a trusted proxy', () => {
  const server = useServer({ BOWLINE_METRICS_SOURCES: '192.0.2.0/24', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' })

  it('checks metrics sources against the address that a trusted proxy forwards', async () => {
    expect(await status(server(), { 'x-forwarded-for': '192.0.2.9' })).toBe(200)
    expect(await status(server(), { 'x-forwarded-for': '198.51.100.9' })).toBe(404)
    expect(await status(server(), { 'x-forwarded-for': '192.0.2.9, 198.51.100.9' })).toBe(404)
    expect(await status(server(), { 'x-forwarded-for': '127.0.0.1' })).toBe(404)
    expect(await status(server(), {})).toBe(404)
  })
})

describe('metrics for a configured local source', () => {
  const server = useServer({ BOWLINE_METRICS_SOURCES: '127.0.0.1' })

  it('serves metrics to a configured local source, but not through an unknown proxy', async () => {
    expect(await status(server(), {})).toBe(200)
    expect(await status(server(), { 'x-forwarded-for': '198.51.100.9' })).toBe(404)
  })
})
