// Traces of the whole product: one of a login from the accepted socket to the process on the device, without a word of what
// people typed; and nothing of it where no collector is set.
import { describe, expect, it } from 'vitest'
import { startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { startServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { startFakeCollector } from './fake-collector.ts'

/** Says on stderr when a module of the SDK is loaded. */
const WATCH = `import{registerHooks}from'node:module';registerHooks({resolve(s,c,n){if(/opentelemetry.(sdk|exporter)/.test(s))process.stderr.write('loads '+s+'\\n');return n(s,c)}})`
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(WATCH)}`
const undo = cleanups()

describe('a server with a collector', () => {
  it('sends one trace of a login, from the socket to the process, and no word of what was typed', async () => {
    const collector = await startFakeCollector()
    undo(() => collector.close())
    const server = await startServer({ env: { BOWLINE_OTLP_URL: collector.url, NODE_OPTIONS } })
    undo(() => server.remove())
    const agent = await startAgent(server, 'traced')
    undo(() => agent.remove())
    expect((await ssh(agent.target, ['echo typed-by-a-person'])).stdout.toString()).toBe('typed-by-a-person\n')
    await until('the process is in the log of the device', () => /"ev":"session.started"/.test(agent.process.output()))
    // What waits is sent when the server stops.
    expect((await server.process.end()).code).toBe(0)
    expect(server.process.output()).toContain('loads @opentelemetry/sdk-trace')

    const process = collector.spans.find(({ name }) => name === 'process.start')
    const login = collector.spans.filter(({ trace }) => trace === process?.trace)
    const root = login.find(({ parent }) => parent === '')
    expect(root?.name).toBe('ssh.login')
    expect(login.filter(({ parent }) => parent === root?.id).map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'ssh.key-exchange',
        'ssh.authenticate',
        'login.resolve',
        'login.firewall',
        'device.auth',
        'process.start',
      ]),
    )
    expect(process?.attributes).toMatchObject({ 'bowline.run': 'exec' })
    expect(agent.process.output()).toContain(`"trace":"00-${root?.trace}-${root?.id}-01"`)

    const statementsOf = (name: string): readonly string[] => {
      const within = new Set(collector.spans.filter((span) => span.name === name).map(({ id }) => id))
      return collector.spans
        .filter((span) => span.name === 'db.query' && within.has(span.parent))
        .flatMap(({ attributes }) => attributes['db.collection.name'] ?? [])
    }
    expect(statementsOf('login.resolve')).toContain('devices')
    expect(statementsOf('ssh.authenticate')).toContain('sessions')
    expect(statementsOf('http.request')).toContain('devices')
    const request = collector.spans.find(({ name }) => name === 'http.request')
    expect(request?.attributes).toMatchObject({
      'http.request.method': expect.any(String),
      'http.route': expect.any(String),
    })
    const { device, target } = agent
    for (const word of ['typed-by-a-person', target.password, server.account.password, device.uid, device.name])
      expect(collector.text()).not.toContain(word)
  })

  it('works and stops as ever while the collector is away', async () => {
    const server = await startServer({ env: { BOWLINE_OTLP_URL: 'http://127.0.0.1:1' } })
    undo(() => server.remove())
    const answers = await Promise.all(Array.from({ length: 50 }, () => fetch(`${server.origin}/healthcheck`)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    expect((await server.process.end()).code).toBe(0)
  })
})

it('loads nothing of the SDK without a collector', async () => {
  const server = await startServer({ env: { NODE_OPTIONS } })
  undo(() => server.remove())
  expect((await server.process.end()).code).toBe(0)
  expect(server.process.output()).not.toContain('loads @opentelemetry')
})
