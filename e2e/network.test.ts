// Real-world networks: slow, silent, cut, half-closed, and behind load balancers.
import { operations } from '@bowline/contract/operations'
import { type ChaosOptions, type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent, untilOnline } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { newestSession } from './support/newest-session.ts'
import { type Server, startServer } from './support/server.ts'
import { SHOWN, type SshTarget, pipeThrough, ssh, startEcho } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

/** A trusted proxy of the server's configuration; other loopback addresses are untrusted. */
const TRUSTED = '127.0.0.2'
const UNTRUSTED = '127.0.0.3'
let server: Server
let agent: Agent
/** Proxy between agent and server. */
let uplink: ChaosProxy
const undo = cleanups()

beforeAll(async () => {
  server = await startServer({ env: { BOWLINE_TRUSTED_PROXIES: TRUSTED } })
  undo(() => server.remove())
  const { hostname: host, port } = new URL(server.origin)
  uplink = await startChaosProxy({ target: { host, port: Number(port) } })
  undo(() => uplink.close())
  agent = await startAgent({ ...server, origin: `http://127.0.0.1:${uplink.port}` }, 'remote')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

/** A proxy between clients and the SSH port, for one test, and the target that goes through it. */
async function viaProxy(options: Omit<ChaosOptions, 'target'> = {}): Promise<{ proxy: ChaosProxy; target: SshTarget }> {
  const proxy = await startChaosProxy({ target: server.ssh, ...options })
  onTestFinished(() => proxy.close())
  return { proxy, target: { ...agent.target, port: proxy.port } }
}

async function latest() {
  return newestSession(await server.client())
}

describe('a slow and uneven network', () => {
  it('keeps typed input in order, and files intact, on a slow network', async () => {
    const { proxy, target } = await viaProxy()
    const conditions = { delayMs: 10, jitterMs: 30, segmentBytes: 97 }
    proxy.setConditions(conditions)
    uplink.setConditions(conditions)
    onTestFinished(() => uplink.setConditions({}))
    const session = await startEcho(target)
    for (let line = 0; line < 20; line += 1) await session.echo(`line ${line}`)
    session.end()
    const { stdout, code } = await session.result
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('')
    expect([stdout.toString(), code]).toEqual([`ready\n${lines}`, 0])

    const narrow = { delayMs: 10, jitterMs: 10, bytesPerSecond: 2_000_000 }
    proxy.setConditions(narrow)
    uplink.setConditions(narrow)
    const program = `head -c 1000000 /dev/zero | tr '\\0' 'x'`
    const { stdout: sum } = await ssh(agent.target, [`${program} | sha256sum`])
    const { sha256, bytes } = await pipeThrough(target, program)
    expect([bytes, `${sha256}  -\n`]).toEqual([1_000_000, sum.toString()])
  })
})

describe('a network that cuts a connection', () => {
  it('ends the session on a connection reset', async () => {
    const { proxy, target } = await viaProxy()
    const session = await startEcho(target)
    proxy.reset()
    expect((await session.result).code).toBe(255)
    const row = await until('its row is closed', async () => (await latest())?.closed)
    expect(row).toMatchObject({ by: 'user', reason: expect.stringMatching(/^socket-/) })
  })

  it('ends the session on a half-close: SSH has no half-closed connections', async () => {
    const { proxy, target } = await viaProxy()
    const session = await startEcho(target)
    proxy.halfClose()
    expect((await session.result).code).toBe(255)
    const row = await until('its row is closed', async () => (await latest())?.closed)
    expect(row).toMatchObject({ by: 'user', reason: 'socket-closed' })
  })

  it('reconnects the agent after a reset between agent and server', async () => {
    const session = await startEcho(agent.target)
    uplink.reset()
    expect((await session.result).stderr).toMatch(/Bowline: the device lost its connection to the server/)
    const row = await until('its row is closed', async () => (await latest())?.closed)
    expect(row).toMatchObject({ by: 'network', reason: 'connection-lost', message: 'ECONNRESET' })
    const client = await server.client()
    const answer = async () => (await ssh(agent.target, ['echo back'])).stdout.toString() || false
    expect(await until('the agent is back', answer)).toBe('back\n')
    await untilOnline(client, agent.device.uid)
  })
})

describe('a network that falls silent', () => {
  it('detects a silent network at both ends of a link and at the gateway, and recovers', async () => {
    const { proxy, target } = await viaProxy()
    const client = await server.client()
    const near = await startAgent(server, 'near')
    undo(() => near.remove())
    const { uid } = agent.device
    const options = ['-o', 'ServerAliveInterval=0', '-o', 'TCPKeepAlive=no']
    const throughProxy = await startEcho({ ...near.target, port: target.port }, options)
    const row = await latest()
    const throughLink = await startEcho(agent.target)
    const before = agent.process.output().length
    proxy.setConditions({ silent: true })
    uplink.setConditions({ silent: true })

    const offline = async () => !(await client.call(operations.devices.get, { params: { uid } })).body.online
    const [closed, { code, stderr }] = await Promise.all([
      until(
        'the gateway ends the connection of the client',
        async () => (await client.call(operations.sessions.get, { params: { uid: row?.uid ?? '' } })).body.closed,
        150_000,
      ),
      throughLink.result,
      until('the server notices', offline, 150_000),
      until('the agent notices', () => agent.process.output().slice(before).includes('"keepalive"'), 150_000),
    ])
    expect(closed).toMatchObject({ by: 'gateway', reason: 'keepalive' })
    expect([code, stderr]).toEqual([
      255,
      expect.stringMatching(/Bowline: the device lost its connection to the server/),
    ])

    proxy.setConditions({})
    uplink.setConditions({})
    expect((await throughProxy.result).code).toBe(255)
    await untilOnline(client, uid)
    expect((await ssh(agent.target, ['echo back'])).stdout.toString()).toBe('back\n')
  }, 180_000)
})

describe('behind a load balancer', () => {
  const source = '203.0.113.9'
  const header = `PROXY TCP4 ${source} 192.0.2.1 40000 22\r\n`

  it('gives sessions and firewall the person’s address behind a trusted load balancer', async () => {
    const { target } = await viaProxy({ localAddress: TRUSTED, preface: header })
    const { stdout } = await ssh(target, ['echo "$SSH_CONNECTION"'])
    expect(stdout.toString()).toMatch(/^203[.]0[.]113[.]9 40000 /)
    expect(await latest()).toMatchObject({ ip_address: source, authenticated: true })

    const { call } = await server.client()
    const rule = { action: 'deny', active: true, priority: 1, source_ip: '^203[.]0[.]113[.]', username: '.*' } as const
    const { body } = await call(operations.firewall.create, { body: { ...rule, filter: { hostname: '.*' } } })
    try {
      const { stderr } = await ssh(target, ['true'], { options: SHOWN })
      expect(stderr).toContain('the password was not accepted')
      expect((await ssh(agent.target, ['true'])).code).toBe(0)
    } finally {
      await call(operations.firewall.remove, { params: { id: body.id } })
    }
  })

  it('gives sessions the load balancer’s own address when it sends no header', async () => {
    const { target } = await viaProxy({ localAddress: TRUSTED })
    expect((await ssh(target, ['true'])).code).toBe(0)
    expect(await latest()).toMatchObject({ ip_address: TRUSTED })
  })

  it.each([
    ['an untrusted address', UNTRUSTED, header],
    ['a trusted address, but malformed', TRUSTED, 'PROXY TCP4 nonsense\r\n'],
  ])('drops a connection with a PROXY header from %s', async (_, localAddress, preface) => {
    const before = await latest()
    const { target } = await viaProxy({ localAddress, preface })
    expect((await ssh(target, ['true'])).code).toBe(255)
    expect((await latest())?.uid).toBe(before?.uid)
    expect((await ssh(agent.target, ['true'])).code).toBe(0)
  })

  it('uses the address forwarded by a trusted web proxy, and ignores it from others', async () => {
    const { hostname: host, port } = new URL(server.origin)
    const named: (string | undefined)[] = []
    for (const localAddress of [TRUSTED, UNTRUSTED]) {
      const proxy = await startChaosProxy({ target: { host, port: Number(port) }, localAddress })
      onTestFinished(() => proxy.close())
      const { call } = await server.client()
      const { uid } = agent.device
      const { body: signIn } = await call(operations.auth.getUser, {})
      const name = `remote-${named.length}`
      await fetch(`http://127.0.0.1:${proxy.port}/api/devices/${uid}`, {
        method: 'PUT',
        headers: {
          'x-forwarded-for': `198.51.100.1, ${source}`,
          'content-type': 'application/json',
          authorization: `Bearer ${signIn.token}`,
        },
        body: JSON.stringify({ name }),
      })
      const { body: entries } = await call(operations.audit.list, {})
      named.push(entries.find(({ details }) => JSON.stringify(details).includes(name))?.ip)
    }
    expect(named).toEqual([source, UNTRUSTED])
  })
})
