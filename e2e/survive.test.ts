// Crash recovery: each part of the product is killed while people work, and recovers.
import { execFileSync } from 'node:child_process'
import { readdir, rename } from 'node:fs/promises'
import { type Socket, connect } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Agent, startAgent, untilOnline } from './support/agent.ts'
import { cleanups } from './support/cleanup.ts'
import { listenToEvents } from './support/events.ts'
import { health, signInAnswer } from './support/health.ts'
import { familyOf, isAlive, postmasterPid } from './support/proc.ts'
import { pendingUids, startWriter } from './support/registrations.ts'
import { type Server, startServer } from './support/server.ts'
import { finish, SHOWN, ssh, startEcho, startSsh } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

let server: Server
let agent: Agent

const undo = cleanups()

beforeAll(async () => {
  server = await startServer()
  undo(() => server.remove())
  agent = await startAgent(server, 'survivor')
  undo(() => agent.remove())
})
showOnFailure(() => ({ server: server.process, agent: agent.process }))

async function sessions() {
  const { call } = await server.client()
  return (await call(operations.sessions.list, { query: { per_page: '100' } })).body
}

/** Closed sessions, once every session is. */
function allClosed() {
  return until('every session is closed', async () => {
    const all = await sessions()
    return all.every((one) => one.closed) && all
  })
}

describe('a server that is killed while people work', () => {
  it('restarts a killed server on its data: same PostgreSQL, same device online, sessions closed with their cause', async () => {
    const postmaster = await postmasterPid(server.dataFolder)
    const session = await startEcho(agent.target)
    const [open] = await sessions()
    await server.process.end('SIGKILL')
    expect((await session.result).code).toBe(255)

    await server.start()
    expect(await postmasterPid(server.dataFolder)).toBe(postmaster)
    const closed = (await sessions()).find((one) => one.uid === open?.uid)
    expect(closed?.active).toBe(false)
    expect(closed?.closed).toMatchObject({ by: 'gateway', reason: 'server-restarted' })
    await untilOnline(await server.client(), agent.device.uid)
    expect((await ssh(agent.target, ['echo back'])).stdout.toString()).toBe('back\n')
  })

  it('keeps every row that it acknowledged before being killed', async () => {
    const writer = startWriter(server, 4)
    await until('rows are written', () => writer.acknowledged.size >= 150)
    await server.process.end('SIGKILL')
    await writer.done
    await server.start()
    const kept = await pendingUids(await server.client())
    expect([...writer.acknowledged].filter((uid) => !kept.has(uid))).toEqual([])
    expect(kept.size).toBeGreaterThanOrEqual(150)
  })
})

describe('a server that is told to stop', () => {
  it('ends sessions with a text on shutdown, closes their rows, and leaves nothing running', async () => {
    const postmaster = await postmasterPid(server.dataFolder)
    await untilOnline(await server.client(), agent.device.uid)
    const session = await startEcho(agent.target)
    const [open] = await sessions()
    expect((await server.process.end('SIGTERM')).code).toBe(0)
    const { code, stderr } = await session.result
    expect(code).toBe(255)
    expect(stderr).toMatch(/Bowline: the server is stopping/)
    expect(await isAlive(postmaster)).toBe(false)

    await server.start()
    const closed = (await sessions()).find((one) => one.uid === open?.uid)
    expect(closed?.closed).toMatchObject({ by: 'gateway', reason: 'server-stopped' })
    await untilOnline(await server.client(), agent.device.uid)
    expect((await ssh(agent.target, ['echo back'])).stdout.toString()).toBe('back\n')
  })
})

describe('a server that runs out of file descriptors', () => {
  it('drops what exceeds the file descriptor limit, keeps what runs, and recovers', async () => {
    await untilOnline(await server.client(), agent.device.uid)
    const session = await startEcho(agent.target)
    const { pid } = server.process
    const [soft = '', hard = ''] = execFileSync('prlimit', [
      '--pid',
      `${pid}`,
      '--nofile',
      '--noheadings',
      '-o',
      'SOFT,HARD',
    ])
      .toString()
      .trim()
      .split(/\s+/)
    const open = (await readdir(`/proc/${pid}/fd`)).length
    execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${open + 20}:${hard}`])
    const sockets: Socket[] = []
    try {
      await until('no descriptor is left', async () => {
        // Silent connections are dropped after seconds, which a busy machine may take to look.
        while (sockets.filter(({ destroyed }) => !destroyed).length < 60) {
          sockets.push(connect(agent.target.port, agent.target.host).on('error', () => undefined))
        }
        return (await readdir(`/proc/${pid}/fd`)).length >= open + 18
      })
      await session.echo('while none is left')
    } finally {
      for (const socket of sockets) socket.destroy()
      execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${soft}:${hard}`])
    }
    await session.echo('afterwards')
    session.end()
    expect((await session.result).code).toBe(0)
    const again = () => ssh(agent.target, ['echo works'])
    expect(await until('logins work', async () => (await again()).stdout.toString() || false)).toBe('works\n')
    expect(server.process.pid).toBe(pid)
    expect(await health(server)).toBe(200)
  })
})

describe('an agent that is killed while people work', () => {
  it('ends the sessions of a killed agent with a text, takes it offline at once, and works when it is back', async () => {
    await untilOnline(await server.client(), agent.device.uid)
    const session = await startEcho(agent.target)
    await agent.process.end('SIGKILL')
    const { code, stderr } = await session.result
    expect(code).toBe(255)
    expect(stderr).toMatch(/Bowline: /)

    const client = await server.client()
    const { uid } = agent.device
    await until('the device is offline', async () => {
      const { body } = await client.call(operations.devices.get, { params: { uid } })
      return !body.online
    })
    expect((await ssh(agent.target, ['true'], { options: SHOWN })).stderr).toMatch(/the device cannot be reached/)
    const [, latest] = await allClosed()
    expect(latest?.closed?.by).toMatch(/^(agent|network)$/)

    agent.start()
    await untilOnline(client, uid)
    expect((await ssh(agent.target, ['echo back'])).stdout.toString()).toBe('back\n')
  })
})

describe('PostgreSQL that is killed while people work', () => {
  it('disturbs no running session when PostgreSQL is killed, and recovers when it is back', async () => {
    const staying = await startEcho(agent.target)
    const leaving = await startEcho(agent.target)
    const program = `${server.dataFolder}/postgres/18/bin/postgres`
    await rename(program, `${program}.away`)
    try {
      process.kill(await postmasterPid(server.dataFolder), 'SIGKILL')
      await until('the outage shows', async () => (await health(server)) === 503)
      await staying.echo('during the outage')
      leaving.end()
      expect((await leaving.result).code).toBe(0)

      const [refused, answer] = await Promise.all([ssh(agent.target, ['true']), signInAnswer(server)])
      expect(refused.code).toBe(255)
      expect(refused.stderr).toMatch(/Bowline: .*try again/)
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE' })
      await staying.echo('still during the outage')
    } finally {
      await rename(`${program}.away`, program)
    }

    await until('the database is back', async () => (await health(server)) === 200)
    await staying.echo('after the outage')
    expect((await ssh(agent.target, ['echo back'])).stdout.toString()).toBe('back\n')
    staying.end()
    expect((await staying.result).code).toBe(0)
    for (const { closed } of await allClosed()) expect(closed?.reason).toBeTruthy()
  })

  it('delays only new logins when PostgreSQL hangs', async () => {
    const session = await startEcho(agent.target)
    const postgres = await familyOf(await postmasterPid(server.dataFolder))
    for (const pid of postgres) process.kill(pid, 'SIGSTOP')
    const login = ssh(agent.target, ['echo late'])
    try {
      await session.echo('while it hangs')
    } finally {
      for (const pid of postgres.toReversed()) process.kill(pid, 'SIGCONT')
    }
    expect((await login).stdout.toString()).toBe('late\n')
    session.end()
    expect((await session.result).code).toBe(0)
  })

  it('refuses new logins and calls with a text when PostgreSQL keeps hanging, and records once what ended meanwhile', async () => {
    const client = await server.client()
    await untilOnline(client, agent.device.uid)
    const [staying, leaving] = [await startEcho(agent.target), await startEcho(agent.target)]
    const open = new Set((await sessions()).filter((one) => one.active).map(({ uid }) => uid))
    const log = await listenToEvents(client)
    const postgres = await familyOf(await postmasterPid(server.dataFolder))
    for (const pid of postgres) process.kill(pid, 'SIGSTOP')
    try {
      leaving.end()
      expect((await leaving.result).code).toBe(0)
      const [refused, answer] = await Promise.all([ssh(agent.target, ['true']), signInAnswer(server)])
      expect(refused.code).toBe(255)
      expect(refused.stderr).toMatch(/Bowline: .*try again/)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
      expect(await health(server)).toBe(503)
      await staying.echo('while it hangs')
    } finally {
      for (const pid of postgres.toReversed()) process.kill(pid, 'SIGCONT')
    }
    await until('the database answers', async () => (await health(server)) === 200)
    const ended = () => log.events.flatMap((event) => (event.type === 'session.ended' ? [event.session.uid] : []))
    await until('the end is told', () => ended().some((uid) => open.has(uid)))
    await staying.echo('afterwards')
    staying.end()
    expect((await staying.result).code).toBe(0)
    await allClosed()
    await until('both ends are told', () => new Set(ended().filter((uid) => open.has(uid))).size === 2)
    expect(ended().filter((uid) => open.has(uid))).toHaveLength(2)
    log.stop()
  })
})

describe('a client that leaves while its password is checked', () => {
  it('closes the row and the device’s login when a client leaves during the password check', async () => {
    process.kill(agent.process.pid, 'SIGSTOP')
    let uid: string | undefined
    try {
      const client = startSsh(agent.target, ['true'])
      uid = await until('the attempt has its row', async () => (await sessions()).find((one) => !one.closed)?.uid)
      client.kill('SIGKILL')
      await finish(client)
    } finally {
      process.kill(agent.process.pid, 'SIGCONT')
    }
    const row = (await allClosed()).find((one) => one.uid === uid)
    expect(row?.active).toBe(false)
    expect(row?.closed?.by).toBe('user')
    const ended = agent.process
      .output()
      .split('\n')
      .filter((line) => line.includes(`"session":"${uid}"`))
    expect(ended.filter((line) => line.includes('login.accepted'))).toHaveLength(
      ended.filter((line) => line.includes('login.ended')).length,
    )
  })
})

describe('two agents with one identity', () => {
  it('gives the device to the newest of two agents with one identity, and tells the other', async () => {
    const client = await server.client()
    const log = await listenToEvents(client)
    const session = await startEcho(agent.target)
    const clone = agent.clone()
    try {
      await until('the older agent logs that it was displaced', () =>
        agent.process.output().includes('"ev":"link.displaced"'),
      )
      const { code, stderr } = await session.result
      expect(code).toBe(255)
      expect(stderr).toMatch(/Another agent with the same identity has connected/)
      expect((await ssh(agent.target, ['echo $PPID'])).stdout.toString()).toBe(`${clone.pid}\n`)
      const changes = log.events.filter((event) => event.type === 'device.changed')
      expect(changes.length).toBeGreaterThan(0)
      expect(changes.filter((event) => !event.device.online)).toEqual([])
    } finally {
      log.stop()
      await clone.end()
    }
  })
})
