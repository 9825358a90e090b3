// Web terminals and tunnels at a node that does not hold the link of the device.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import type { Server } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { openClusterTerminal } from './terminal.ts'

const undo = cleanups()
let cluster: Cluster
let agent: Agent
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

function node(index: number): Server {
  const found = cluster.nodes[index]
  if (!found) throw new Error(`there is no node ${index}`)
  return found
}

/** One request at a node's HTTP port, for a host. */
function ask(
  { origin }: Server,
  host: string,
  body: string,
  path = '/',
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const outgoing = request({ hostname, port, method: 'POST', path, headers: { host } }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** A web terminal with a ticket of the second node. @param at the node that a browser's nth connection reaches */
async function terminalAt(at: (connection: number) => number) {
  const opened = await openClusterTerminal(agent, node(1), (connection) => node(at(connection)))
  onTestFinished(() => opened.terminal.close())
  return opened
}

describe.skipIf(!postgresPrograms)('at the node without the device (needs the package postgresql)', () => {
  beforeAll(async () => {
    cluster = await startCluster(2, { BOWLINE_TUNNELS_DOMAIN: 'tunnels.localhost' })
    undo(() => cluster.remove())
    agent = await startAgent(node(1), 'elsewhere')
    undo(() => agent.remove())
  })

  it('a tunnel reaches the service of the device, and ends with a change at the other node', async () => {
    const service = createServer((incoming, answer) => incoming.pipe(answer)).listen(0, '127.0.0.1')
    onTestFinished(() => void service.close())
    await once(service, 'listening')
    const address = service.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { call } = await node(1).client()
    const params = { uid: agent.device.uid }
    const body = { host: '127.0.0.1', port, ttl: -1 }
    const { body: tunnel } = await call(operations.tunnels.create, { params, body })
    const megabyte = 'there and back'.repeat(80_000)
    for (const at of [0, 1]) {
      const answer = await ask(node(at), tunnel.full_address, megabyte)
      expect([answer.status, answer.text === megabyte]).toEqual([200, true])
    }
    await call(operations.tunnels.remove, { params: { ...params, address: tunnel.address } })
    await until('the other node knows', async () => (await ask(node(0), tunnel.full_address, '')).status === 404)
  })

  it('guesses at the door of a tunnel count together with those at the other node', async () => {
    const { call } = await node(1).client()
    const params = { uid: agent.device.uid }
    const door = { door: 'password', password: 'open sesame' } as const
    const body = { host: '127.0.0.1', port: 9, ttl: -1, ...door }
    const { body: tunnel } = await call(operations.tunnels.create, { params, body })
    const guess = (at: number, password: string) =>
      ask(node(at), tunnel.full_address, new URLSearchParams({ password, path: '/' }).toString(), '/.bowline/door')
    const statuses: (number | undefined)[] = []
    for (let nr = 0; nr < 12; nr += 1) statuses.push((await guess(nr % 2, `guess ${nr}`)).status)
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429, 429])
    expect((await guess(0, 'open sesame')).status).toBe(429)
  })

  it('a web terminal opens by a ticket that the other node has made', async () => {
    const { terminal, shown } = await terminalAt(() => 0)
    terminal.input(new TextEncoder().encode('stty size; exit 7\r'))
    await until('it has ended', () => terminal.state.get().kind === 'ended')
    expect(shown()).toContain('30 100')
    expect(terminal.state.get()).toMatchObject({ exit: { status: 7 } })
  })

  it('a web terminal whose connection broke is taken up again by way of the other node, and loses nothing', async () => {
    const type = (text: string): void => terminal.input(new TextEncoder().encode(text))
    // The session stays where it began; from there on the browser reaches the other node.
    const { terminal, shown, sockets } = await terminalAt((connection) => (connection === 0 ? 0 : 1))
    type('echo before $((40 + 2)); for i in $(seq 3000); do echo line $i; done; read line; echo got $line; exit 5\r')
    await until('it runs', () => shown().includes('before 42'))
    sockets[0]?.close(4_000)
    type('typed meanwhile\r')
    await until('it has ended', () => terminal.state.get().kind === 'ended')
    expect(sockets).toHaveLength(2)
    const lines = [...shown().matchAll(/^line (\d+)\r$/gm)].map(([, number]) => Number(number))
    expect(lines).toEqual(Array.from({ length: 3_000 }, (_, index) => index + 1))
    expect(shown()).toContain('got typed meanwhile')
    expect(terminal.state.get()).toMatchObject({ exit: { status: 5 } })
  })

  it('an agent of the person is forwarded to the device (-A)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-agent-'))
    const [socket, key] = [join(folder, 'socket'), join(folder, 'key')]
    const keys = spawn('ssh-agent', ['-D', '-a', socket])
    onTestFinished(() => {
      keys.kill()
      rmSync(folder, { recursive: true })
    })
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'forwarded', '-f', key])
    await until('the agent listens', () => existsSync(socket))
    const env = { ...process.env, SSH_AUTH_SOCK: socket }
    execFileSync('ssh-add', ['-q', key], { env })
    const target = { ...agent.target, port: node(0).ssh.port }
    const { stdout } = await ssh(target, ['ssh-add -L'], { options: ['-A'], env })
    expect(stdout.toString()).toBe(readFileSync(`${key}.pub`, 'utf8'))
  })
})
