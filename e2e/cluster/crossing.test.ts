// A device whose link one node holds, used through the others with this machine's ssh.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type Server as NetServer, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { freePort } from '@bowline/testkit/free-port'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { type SshTarget, scp, ssh, startEcho, startSsh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'

const MEGABYTES = 8
const undo = cleanups()
let cluster: Cluster
let agent: Agent
let echo: NetServer
let echoPort: number
let folder: string
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process, agent: agent?.process }))

/** The device through the node that does not hold its link. */
const elsewhere = (): SshTarget => ({ ...agent.target, port: cluster.nodes[0]?.ssh.port ?? 0 })

async function roundTrip(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.end('there and back')
  let received = ''
  socket.on('data', (chunk) => (received += String(chunk))).on('error', () => undefined)
  await once(socket, 'close').catch(() => undefined)
  return received
}

describe.skipIf(!postgresPrograms)('a login on one node for a device of another (needs the package postgresql)', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-e2e-cluster-'))
    undo(() => rmSync(folder, { recursive: true }))
    cluster = await startCluster(2)
    undo(() => cluster.remove())
    const [, holder] = cluster.nodes
    if (!holder) throw new Error('there is no second node')
    agent = await startAgent(holder, 'elsewhere')
    undo(() => agent.remove())
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
    undo(() => void echo.close())
    await once(echo, 'listening')
    const address = echo.address()
    echoPort = typeof address === 'object' && address ? address.port : 0
  })

  it('runs a command there with its output, its errors and its exit code', async () => {
    const { code, stdout, stderr } = await ssh(elsewhere(), ['echo out; echo err >&2; exit 42'])
    expect([code, stdout.toString(), stderr]).toEqual([42, 'out\n', 'err\n'])
  })

  it('refuses a wrong password as the holder itself would', async () => {
    const { code, stderr } = await ssh({ ...elsewhere(), password: 'wrong' }, ['true'])
    expect(code).toBe(255)
    expect(stderr).toContain('Permission denied')
  })

  it('gives a terminal with its size', async () => {
    const { stdout } = await ssh(elsewhere(), ['stty size; tty'], { options: ['-tt'] })
    expect(stdout.toString()).toMatch(/\d+ \d+\r\n\/dev\/pts\/\d+/)
  })

  it('copies megabytes in both directions unchanged', async () => {
    const sent = join(folder, 'sent')
    writeFileSync(sent, randomBytes(MEGABYTES * 1024 * 1024))
    const [there, back] = [join(folder, 'there'), join(folder, 'back')]
    expect((await scp(elsewhere(), [], sent, `host:${there}`)).code).toBe(0)
    expect((await scp(elsewhere(), [], `host:${there}`, back)).code).toBe(0)
    const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
    expect([hash(there), hash(back)]).toEqual([hash(sent), hash(sent)])
  })

  it('stops a process whose reader has stopped, and loses none of its output', async () => {
    const child = startSsh(elsewhere(), ['head -c 64000000 /dev/zero | sha256sum & head -c 64000000 /dev/zero; wait'])
    child.stdin.end()
    await once(child.stdout, 'readable')
    // Nothing is read: credit runs out at the process, over both hops.
    await echoes(await startEcho(elsewhere()))
    let bytes = 0
    child.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length))
    const [code] = await once(child, 'close')
    expect(code).toBe(0)
    expect(bytes).toBe(64_000_000 + 64 + '  -\n'.length)
  })

  it('forwards ports in both directions (-L and -R)', async () => {
    const [local, remote] = [await freePort(), await freePort()]
    const forwards = ['-L', `${local}:127.0.0.1:${echoPort}`, '-R', `${remote}:127.0.0.1:${echoPort}`]
    const child = startSsh(elsewhere(), [], ['-N', '-o', 'ExitOnForwardFailure=yes', ...forwards])
    onTestFinished(() => void child.kill('SIGKILL'))
    await until('both ports answer', async () => (await roundTrip(local)) !== '' && (await roundTrip(remote)) !== '')
    expect(await Promise.all([local, remote, remote].map(roundTrip))).toEqual(Array(3).fill('there and back'))
  })

  it('shows the session on every node, with the node of the client as its own', async () => {
    const [a, b] = cluster.nodes
    const session = await startEcho(elsewhere())
    const lists = await Promise.all(
      [a, b].map(async (node) => {
        const client = await node?.client()
        return (await client?.call(operations.sessions.list, { query: {} }))?.body.filter(({ active }) => active).length
      }),
    )
    expect(lists).toEqual([1, 1])
    session.end()
    expect((await session.result).code).toBe(0)
  })

  it('ends with the link of the device when another process with its key links at another node', async () => {
    const session = await startEcho(elsewhere())
    const clone = agent.clone(cluster.nodes[0]?.origin)
    onTestFinished(async () => void (await clone.end()))
    await until('the first process is told', () => agent.process.output().includes('"ev":"link.displaced"'))
    expect((await session.result).code).not.toBe(0)
  })
})

async function echoes(session: Awaited<ReturnType<typeof startEcho>>): Promise<void> {
  await session.echo('while another stands still')
  session.end()
  await session.result
}
