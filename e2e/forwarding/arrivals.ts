// Opens many connections through each kind of forward to servers that speak first, and checks every byte.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { connectThroughSocks } from '@bowline/testkit/clients/socks'
import { startAgent } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { answers } from '../support/device.ts'
import { freePort } from '@bowline/testkit/free-port'
import { type Server, startServer } from '../support/server.ts'
import { type SshTarget, finish, startSsh } from '../support/ssh.ts'
import { type Sshd, startSshd } from '../support/sshd.ts'
import { until } from '../support/wait.ts'
import { faultOf, readMessage, selfChecking } from './self-checking.ts'
import { type Speaker, startSpeaker } from './speakers.ts'

export interface World {
  /** Kinds of forwards, by ssh option. */
  readonly kinds: readonly string[]
  /** Opens `count` connections of a kind, `atOnce` at a time. @returns the failures, one line each */
  faults(kind: string, count: number, atOnce: number): Promise<string[]>
}

type Open = (speaker: Speaker) => Promise<Duplex>

/** A server, an agent behind a network that delays and coalesces frames, and one ssh that forwards. */
export async function forwardingWorld(undo: ReturnType<typeof cleanups>): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-arrivals-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  const server = await startServer()
  undo(() => server.remove())
  const target = await agentBehind(server, undo)
  const speakers = [await startSpeaker('speaks', folder), await startSpeaker('answers', folder)]
  undo(() => speakers.forEach((speaker) => speaker.close()))
  const sshd = await startSshd()
  undo(() => sshd.stop())
  const master = join(folder, 'master')
  const socks = await freePort()
  const ports = new Map<string, number>()
  const options = ['-M', '-S', master, '-N', '-D', String(socks), '-o', 'ExitOnForwardFailure=yes']
  for (const { behaviour, port, path } of speakers) {
    for (const [kind, flag, to] of [
      ['-L', '-L', `127.0.0.1:${port}`],
      ['-L unix', '-L', path],
      ['-R', '-R', `127.0.0.1:${port}`],
    ]) {
      const near = await freePort()
      ports.set(`${kind} ${behaviour}`, near)
      options.push(String(flag), `127.0.0.1:${near}:${to}`)
    }
  }
  const ssh = startSsh(target, [], options)
  const ended = finish(ssh)
  undo(() => {
    // sshpass passes it on to ssh.
    ssh.kill('SIGTERM')
    return ended
  })
  await until('ssh forwards', async () =>
    (await Promise.all([...ports.values()].map((port) => answers(port)))).every(Boolean),
  )

  const near = (kind: string): Open => {
    return async ({ behaviour }) =>
      connect({ port: ports.get(`${kind} ${behaviour}`) ?? 0, host: '127.0.0.1', allowHalfOpen: true })
  }
  const shared = (args: readonly string[]): ChildProcess =>
    spawn('ssh', ['-F', 'none', '-S', master, '-o', 'BatchMode=yes', ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  const opens: Record<string, Open> = {
    '-L': near('-L'),
    '-L unix': near('-L unix'),
    '-R': near('-R'),
    '-D': ({ port }) => connectThroughSocks(socks, port),
  }
  return {
    kinds: [...Object.keys(opens), '-W', '-J'],
    async faults(kind, count, atOnce) {
      const open = opens[kind]
      const one = (index: number): Promise<string | undefined> => {
        const speaker = speakers[index % speakers.length]
        if (!speaker) throw new Error('no server')
        if (kind === '-J') return jump(sshd, master)
        return open
          ? converse(speaker, () => open(speaker))
          : converseOverStdio(speaker, shared(['-W', `127.0.0.1:${speaker.port}`, 'x']))
      }
      return limitConcurrency(count, atOnce, one)
    },
  }
}

/** The network between agent and server holds frames back and delivers them together. */
async function agentBehind(server: Server, undo: ReturnType<typeof cleanups>): Promise<SshTarget> {
  const { hostname: host, port } = new URL(server.origin)
  const uplink = await startChaosProxy({ target: { host, port: Number(port) } })
  undo(() => uplink.close())
  uplink.setConditions({ delayMs: 2, jitterMs: 3 })
  const agent = await startAgent({ ...server, origin: `http://127.0.0.1:${uplink.port}` }, 'arrivals')
  undo(() => agent.remove())
  return agent.target
}

async function limitConcurrency(count: number, atOnce: number, one: (index: number) => Promise<string | undefined>) {
  const faults: string[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const fault = await one(index).catch((error: unknown) => String(error))
      if (fault !== undefined) faults.push(`${index}: ${fault}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return faults
}

/** One connection to a speaker. @returns the failure, if any */
async function converse({ behaviour }: Speaker, open: () => Promise<Duplex>): Promise<string | undefined> {
  const socket = await open()
  if (behaviour === 'speaks') {
    // The server half-closes at once: EOF must arrive without any data from this side.
    const fault = faultOf(await buffer(socket))
    socket.end()
    return fault
  }
  const fault = faultOf(await readMessage(socket))
  socket.end(selfChecking(64 * 1024))
  const verdict = String(await buffer(socket))
  return fault ?? (verdict === '1' ? undefined : `what was sent arrived wrong (${verdict || 'no answer'})`)
}

/** The same over stdin and stdout of `ssh -W`. */
async function converseOverStdio({ behaviour }: Speaker, { stdin, stdout }: ChildProcess): Promise<string | undefined> {
  if (!stdin || !stdout) return 'ssh has no pipes'
  stdin.on('error', () => undefined)
  if (behaviour === 'speaks') return faultOf(await buffer(stdout))
  const fault = faultOf(await readMessage(stdout))
  stdin.end(selfChecking(64 * 1024))
  const verdict = String(await buffer(stdout))
  return fault ?? (verdict === '1' ? undefined : `what was sent arrived wrong (${verdict || 'no answer'})`)
}

/** A complete ssh to an sshd, through the device: what `ssh -J` does after signing in at the jump host. */
async function jump({ host, port, login, keyFile }: Sshd, master: string): Promise<string | undefined> {
  const quiet = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR']
  const proxy = `ProxyCommand=ssh -F none -S ${master} -o BatchMode=yes -W %h:%p x`
  const child = spawn('ssh', [
    '-F',
    'none',
    '-i',
    keyFile,
    ...quiet,
    '-o',
    proxy,
    '-p',
    String(port),
    `${login}@${host}`,
    'echo there',
  ])
  child.stdin.end()
  const { stdout, stderr, code } = await finish(child)
  return stdout.toString() === 'there\n' && code === 0 ? undefined : `exit ${code}: ${stderr.trim()}`
}
