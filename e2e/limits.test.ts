// Default limits: channels, connections, slow clients, password guessing, and handshakes started for their CPU cost.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trixie, trixieMissing } from '@bowline/testkit/place'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, startAgent } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { run } from './support/running.ts'
import { type Server, startServer } from './support/server.ts'
import { finish, guess, shareConnection, ssh, startEcho } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const REFUSAL = 'Bowline: too many connections from this address; try again later.'
/**
 * Patches for ssh-audit: its own start fails under Python 3.13, where it sets the process start method twice; and its
 * processes die when fewer than five bytes of a packet have arrived, as happens on a busy machine.
 */
const AUDIT = `import multiprocessing, struct, sys
from ssh_audit.dheat import DHEat
from ssh_audit.ssh_audit import main
read = DHEat.read_ssh_packet
def read_or_give_up(*args, **named):
  try: return read(*args, **named)
  except struct.error: return -1, -1
DHEat.read_ssh_packet = read_or_give_up
multiprocessing.set_start_method = lambda *_: None;`
const absent = trixieMissing()
const note = absent ? `: not run: ${absent}` : ''
let folder: string
let server: Server
let agent: Agent
const undo = cleanups()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-limits-'))
  undo(() => rm(folder, { recursive: true, force: true }))
  server = await startServer({ env: { BOWLINE_UNCOUNTED_SOURCES: '', BOWLINE_MAX_CHANNELS: '64' } })
  undo(() => server.remove())
  agent = await startAgent(server, 'strict')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

describe('with the default limits, but for 64 channels a connection', () => {
  it('refuses one channel too many with the reason, and keeps the others', async () => {
    const shared = await shareConnection(agent.target, join(folder, 'full'))
    onTestFinished(() => shared.close().then(() => undefined))
    const commands = Array.from({ length: 64 }, () => {
      const child = shared.start('echo up; exec cat')
      return { child, result: finish(child) }
    })
    let up = 0
    for (const { child } of commands) child.stdout.once('data', () => (up += 1))
    await until('all commands run', () => up === commands.length, 60_000)
    const extra = shared.start('echo extra')
    extra.stdin.end()
    const refused = await finish(extra)
    expect([refused.code, refused.stdout.toString()]).toEqual([255, ''])
    for (const { child } of commands) child.stdin.end('still here\n')
    const results = await Promise.all(commands.map(({ result }) => result))
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(Array(64).fill('up\nstill here\n'))
    const next = shared.start('echo room again')
    next.stdin.end()
    expect((await finish(next)).stdout.toString()).toBe('room again\n')
    expect((await shared.close()).stderr).toMatch(/open failed: .*At most 64 channels/)
  })

  it('runs a command of 131,000 bytes, as sshd does', async () => {
    const tail = ' | wc -c'
    const words = 'x'.repeat(131_000 - 'echo '.length - tail.length)
    const { stdout, stderr } = await ssh(agent.target, [`echo ${words}${tail}`])
    expect([stdout.toString().trim(), stderr]).toEqual([String(words.length + 1), ''])
  })

  it('refuses unauthenticated connections at random beyond 100 and always beyond 200, without delaying others', async () => {
    const session = await startEcho(agent.target, ['-b', '127.0.0.5'])
    const silent = await Promise.all(Array.from({ length: 100 }, () => greeting('127.0.0.5')))
    expect(silent.map(({ text }) => text)).toEqual(Array(100).fill('SSH-2.0-OpenSSH_9.9 Bowline'))
    let texts: string[] = []
    await until('the source is refused', async () => {
      texts = (await Promise.all(Array.from({ length: 20 }, () => greeting('127.0.0.5')))).map(({ text }) => text)
      return texts.includes(REFUSAL)
    })
    await session.echo('unaffected')
    expect((await greeting('127.0.0.6')).text).toBe('SSH-2.0-OpenSSH_9.9 Bowline')
    session.end()
    expect((await session.result).code).toBe(0)
  })

  it('drops 400 slow connections of every kind, and lets others in meanwhile', async () => {
    const pace: ((socket: Socket) => void)[] = [
      () => undefined,
      (socket) => socket.write('SSH-2.0-dawdler\r\n'),
      (socket) => socket.write(Buffer.concat([Buffer.from('SSH-2.0-dawdler\r\n'), Buffer.from('000003fc0414', 'hex')])),
      (socket) => {
        const sendSlowly = setInterval(() => socket.write('S'), 1_000)
        socket.once('close', () => clearInterval(sendSlowly))
      },
    ]
    let ended = 0
    for (let count = 0; count < 400; count += 1) {
      const { host, port } = agent.target
      const socket = connect({ host, port, localAddress: '127.0.0.10' }, () => pace[count % 4]?.(socket))
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined).on('close', () => (ended += 1))
      socket.resume()
    }
    const options = ['-b', '127.0.0.11']
    expect((await ssh(agent.target, ['echo meanwhile'], { options })).stdout.toString()).toBe('meanwhile\n')
    expect(await until('all are ended', () => ended === 400 && ended)).toBe(400)
  })

  it('accepts sixty connections of one address at once, as from an office or a job with many forks', async () => {
    const options = ['-b', '127.0.0.7']
    const sessions = await Promise.all(Array.from({ length: 60 }, () => startEcho(agent.target, options)))
    await Promise.all(sessions.map((session) => session.echo('unaffected')))
    for (const session of sessions) session.end()
    const results = await Promise.all(sessions.map((session) => session.result))
    expect(results.map(({ code }) => code)).toEqual(Array(60).fill(0))
  })

  it('checks six of 50 guessed passwords on the device, then rejects even the right one from that source for a while', async () => {
    const guesser = ['-b', '127.0.0.8']
    const { code, stderr } = await guess({ ...agent.target, password: '' }, 10, guesser)
    expect(code).toBe(255)
    expect(stderr.match(/Permission denied, please try again/g)).toHaveLength(5)
    expect(stderr).toMatch(/Too many/)
    const more = Array.from({ length: 44 }, (_, index) =>
      ssh({ ...agent.target, password: `guess ${index}` }, ['true'], { options: guesser }),
    )
    expect((await Promise.all(more)).map((attempt) => attempt.code)).toEqual(Array(44).fill(255))
    expect((await ssh(agent.target, ['true'], { options: guesser })).code).toBe(255)
    // One more may be checked every ten seconds.
    const checked = agent.process.output().match(/"ev":"login.denied"/g)?.length ?? 0
    expect(checked).toBeGreaterThanOrEqual(6)
    expect(checked).toBeLessThanOrEqual(9)
    expect((await ssh(agent.target, ['echo in'], { options: ['-b', '127.0.0.9'] })).stdout.toString()).toBe('in\n')
  })

  it('accepts the right password after wrong ones at a prompt, and after twelve keys of an agent', async () => {
    const options = ['-b', '127.0.0.13']
    const typed = await guess({ ...agent.target, password: '' }, 3, options)
    expect(typed.stderr.match(/Permission denied/g)).toHaveLength(3)
    expect((await ssh(agent.target, ['echo in'], { options })).stdout.toString()).toBe('in\n')

    const keys = Array.from({ length: 12 }, (_, nr) => join(folder, `key-${nr}`))
    for (const key of keys) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const all = ['-b', '127.0.0.14', '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
    const offered = [...all, ...keys.flatMap((key) => ['-i', key])]
    for (let attempt = 0; attempt < 4; attempt += 1) {
      expect((await ssh(agent.target, ['true'], { options: offered })).stderr).toMatch(
        /Too many authentication failures/,
      )
    }
    const next = await ssh(agent.target, ['echo in'], { options: ['-b', '127.0.0.14'] })
    expect(next.stdout.toString()).toBe('in\n')
  })

  it.skipIf(absent)(`delays nobody while handshakes are started and dropped endlessly${note}`, async () => {
    const program = `${AUDIT} sys.argv = ['ssh-audit', '--dheat=10', '-p', '${agent.target.port}', '127.0.0.1']; main()`
    const [file, words] = trixie.command('python3', ['-c', program])
    const attack = run([file, ...words], { detached: true })
    onTestFinished(({ task }) => {
      process.kill(-attack.pid, 'SIGKILL')
      if (task.result?.state === 'fail') process.stderr.write(`--- attack:\n${attack.output()}\n`)
    })
    const before = await endCount()
    await until('the attack is under way', async () => (await endCount()) > before + 50)
    for (let login = 0; login < 10; login += 1) {
      const { stdout, stderr } = await ssh(agent.target, ['echo meanwhile'], { options: ['-b', '127.0.0.12'] })
      expect([stdout.toString(), stderr]).toEqual(['meanwhile\n', ''])
    }
    expect([attack.child.exitCode, attack.output()]).toEqual([null, expect.stringContaining('Commencing')])
  })
})

/** Connects from a loopback address and reads the first line; the connection stays open until the test ends. */
async function greeting(localAddress: string): Promise<{ text: string; socket: Socket }> {
  const socket = connect({ host: agent.target.host, port: agent.target.port, localAddress })
  onTestFinished(() => void socket.destroy())
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  return { text: chunk.toString().split('\r\n')[0] ?? '', socket }
}

/** Number of connections that were refused or have ended so far, for any reason. */
async function endCount(): Promise<number> {
  const text = await (await fetch(`${server.origin}/metrics`)).text()
  const counts = text.matchAll(/^bowline_ssh_(?:refused|closed)\S*\{.*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
