// Graceful shutdown: running sessions may finish, new ones are refused and told to reconnect.
import { once } from 'node:events'
import { connect } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { type Server, startServer } from './support/server.ts'
import { type EchoSession, ssh, startEcho } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const SESSIONS = 200
const LOGINS_AT_ONCE = 20
let server: Server
let agent: Agent
const undo = cleanups()

beforeAll(async () => {
  server = await startServer({ env: { BOWLINE_DRAIN_SECONDS: '120', BOWLINE_MAX_SESSIONS_PER_ACCOUNT: '300' } })
  undo(() => server.remove())
  agent = await startAgent(server, 'busy')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

/** Close reasons of all sessions, by number of sessions. */
async function causes(): Promise<Record<string, number>> {
  const { call } = await server.client()
  const counts: Record<string, number> = {}
  for (let page = 1; ; page += 1) {
    const { body } = await call(operations.sessions.list, { query: { per_page: '100', page: String(page) } })
    if (body.length === 0) return counts
    for (const { closed } of body) counts[closed?.reason ?? 'open'] = (counts[closed?.reason ?? 'open'] ?? 0) + 1
  }
}

describe('a server that is stopped with sessions open', () => {
  it('lets every session finish, refuses new ones with a message, moves the agents, and exits with the last session', async () => {
    const sessions: EchoSession[] = []
    while (sessions.length < SESSIONS) {
      sessions.push(...(await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, () => startEcho(agent.target)))))
    }
    // A connection that has not signed in does not delay the exit.
    const unauthenticated = connect(agent.target.port, agent.target.host)
    unauthenticated.resume()
    await once(unauthenticated, 'data')
    const ended = server.process.end('SIGTERM')
    await until('the server drains', () => server.process.output().includes('"ev":"server.draining"'))

    const refused = await until('logins are refused', async () => {
      const { code, stderr } = await ssh(agent.target, ['true'])
      return code === 255 && stderr
    })
    expect(refused).toContain('Bowline: the server is stopping; try again in a moment.')
    await Promise.all(sessions.map((session, index) => session.echo(`still working ${index}`)))
    await until('the agent looks for another server', () => /"ev":"link.failed"/.test(agent.process.output()))
    await Promise.all(sessions.map((session, index) => session.echo(`and still ${index}`)))

    for (const session of sessions) session.end()
    const results = await Promise.all(sessions.map((session) => session.result))
    expect(results.map(({ code }) => code)).toEqual(Array(SESSIONS).fill(0))
    expect((await ended).code).toBe(0)
    if (!unauthenticated.closed) await once(unauthenticated, 'close')

    await server.start()
    await untilOnline(await server.client(), agent.device.uid)
    expect(await causes()).toEqual({ disconnect: SESSIONS })
    expect((await ssh(agent.target, ['echo back'])).stdout.toString()).toBe('back\n')
  })
})
