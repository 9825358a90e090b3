// Containers of a real engine (podman) as devices: they come and go with the engine, and OpenSSH reaches them.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { operations } from '@bowline/contract/operations'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { run, sshOptions } from '@bowline/testkit/real-client'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, bootServer, outcome } from '../testing/boot.ts'
import { type EngineWorld, LOOPBACK_ALLOWED, engineWorld } from './testing.ts'

const { connectors, firewall, namespaces, sessions } = operations
const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

let engine: ContainerEngine
let server: BootedServer
let world: EngineWorld
let web: string
beforeAll(async () => {
  if (missing !== undefined) return
  engine = await startContainerEngine()
  await engine.run('web')
  server = await bootServer({ settings: LOOPBACK_ALLOWED })
  world = await engineWorld(server, await server.setUpAccount(), engine)
  await world.accept('web')
  web = `${world.person.namespace}.web`
})
afterAll(async () => {
  world?.close()
  await server?.close()
  await engine?.close()
})

const call: EngineWorld['person']['client']['call'] = (operation, input) => world.person.client.call(operation, input)
const status = async () => (await call(connectors.get, { params: { uid: world.connector } })).body.status
async function newestSession() {
  const [session] = (await call(sessions.list, {})).body
  if (!session) throw new Error('there is no session')
  return session
}

/** Processes of the container whose command line has a pattern, which brackets keep from matching itself. */
async function processes(pattern: string): Promise<number> {
  const { stdout } = await world.ssh(`ada@${web}`, [`ps -o args | grep -c "${pattern}"`])
  return Number(stdout.toString())
}

describe.skipIf(missing !== undefined)('an engine', () => {
  it('shows a connector as connected, and the document of its engine', async () => {
    expect(await status()).toEqual({ state: 'connected', message: '', State: true, Message: '' })
    const { body } = await call(connectors.info, { params: { uid: world.connector } })
    expect(body).toHaveProperty('ServerVersion')
    expect(body).toHaveProperty('ContainersRunning')
  })

  it('offers a new container as a pending device and takes it offline when it stops', async () => {
    const id = await engine.run('worker')
    const device = await until(async () => (await world.containers()).get('worker'))
    expect(device).toMatchObject({
      status: 'pending',
      identity: { mac: id.slice(0, 12) },
      info: { id: 'docker', pretty_name: 'localhost/tiny:1', platform: 'connector' },
      tenant_id: world.person.tenant,
    })
    await engine.podman('stop', '-t', '0', 'worker')
    await until(async () => !(await world.containers()).get('worker')?.online)
    await engine.podman('start', 'worker')
    const again = await until(async () => {
      const found = (await world.containers()).get('worker')
      return found?.online ? found : undefined
    })
    expect(again.uid).toBe(device.uid)
    expect((await call(operations.devices.list, { query: { status: 'pending' } })).body).toEqual([])
    await engine.podman('rm', '-f', '-t', '0', 'worker')
    await until(async () => !(await world.containers()).get('worker')?.online)
    expect((await world.containers()).get('worker')?.uid).toBe(device.uid)
  })

  it('keeps the containers of one namespace from another', async () => {
    const stranger = await server.addPerson('stranger')
    const { body } = await stranger.client.call(operations.containers.list, { query: { status: '' } })
    expect(body).toEqual([])
    const info = stranger.client.call(connectors.info, { params: { uid: world.connector } })
    expect(await outcome(info)).toBe('404 NOT_FOUND')
  })
})

describe.skipIf(missing !== undefined)('a session in a container', () => {
  it.each([0, 1, 7, 127, 255])('returns the exit code %d of a command', async (code) => {
    expect((await world.ssh(`ada@${web}`, [`exit ${code}`])).code).toBe(code)
  })

  it('runs a command by the shell of the account, with its home, environment and both outputs', async () => {
    const script = 'id -un; pwd; echo $USER $HOME; echo wrong >&2'
    const { stdout, stderr } = await world.ssh(`ada@${web}`, [script])
    expect(stdout.toString()).toBe('ada\n/home/ada\nada /home/ada\n')
    expect(stderr).toBe('wrong\n')
    expect((await world.ssh(`root@${web}`, ['id -u'])).stdout.toString()).toBe('0\n')
  })

  it('delivers large input and output completely', async () => {
    const input = Buffer.alloc(3_000_000, 'abcdefghi\n')
    const { stdout, code } = await world.ssh(`ada@${web}`, ['cat; echo after'], input)
    expect(code).toBe(0)
    expect(stdout.equals(Buffer.concat([input, Buffer.from('after\n')]))).toBe(true)
  })

  it('stops a process whose output nobody reads', async () => {
    const child = world.startSsh(`ada@${web}`, ['yes bowline-mark'])
    await once(child.stdout ?? child, 'data')
    expect(await processes('[y]es bowline')).toBeGreaterThan(0)
    child.stdout?.destroy()
    await once(child, 'close')
    await until(async () => (await processes('[y]es bowline')) === 0)
  })

  it('gives a terminal of the size that the client has, and passes a change of it on', async () => {
    const far = 'until stty size; read -t 1 word; do :; done; echo got $word'
    const child = world.startSsh(`ada@${web}`, [`'${far}'`], ['-tt'], 'tty; stty rows 33 columns 101; exec')
    let shown = ''
    child.stdout?.on('data', (bytes: Buffer) => (shown += bytes.toString()))
    await until(() => shown.includes('33 101\r\n'))
    const [terminal = ''] = /\/dev\/pts\/\d+/.exec(shown) ?? []
    execFileSync('stty', ['-F', terminal, 'rows', '44', 'columns', '111'])
    await until(() => shown.includes('44 111\r\n'))
    child.stdin?.write('hello\n')
    await once(child, 'close')
    expect(shown).toMatch(/got hello\r\n/)
  })

  it('starts a login shell that reads its commands from the terminal', async () => {
    const child = world.startSsh(`ada@${web}`, [], ['-tt'])
    let shown = ''
    child.stdout?.on('data', (bytes: Buffer) => (shown += bytes.toString()))
    child.stdin?.write('tty; echo $((6*7)); exit 5\n')
    const [code] = (await once(child, 'close')) as [number]
    expect(shown).toMatch(/\/dev\/pts\/\d+/)
    expect(shown).toMatch(/\r\n42\r\n/)
    expect(code).toBe(5)
  })

  it('hangs up the terminal of a person who leaves, and lets a command without one go on until it is closed', async () => {
    const command = world.startSsh(`ada@${web}`, ['echo ready; sleep 987653'])
    await once(command.stdout ?? command, 'data')
    const session = await newestSession()
    const shell = world.startSsh(`ada@${web}`, ['echo ready; sleep 987654'], ['-tt'])
    await once(shell.stdout ?? shell, 'data')
    expect(await processes('[s]leep 987654')).toBeGreaterThan(0)
    shell.kill('SIGKILL')
    await until(async () => (await processes('[s]leep 987654')) === 0)
    expect(await processes('[s]leep 987653')).toBeGreaterThan(0)
    await call(sessions.close, { params: { uid: session.uid }, body: { device: session.device_uid } })
    await until(async () => (await processes('[s]leep 987653')) === 0)
    expect(session.username).toBe('ada')
  })

  it('refuses an account that the container does not have', async () => {
    const { code, stderr } = await world.ssh(`nobody@${web}`, ['true'], undefined, ['-o', 'LogLevel=INFO'])
    expect(code).toBe(255)
    expect(stderr).toContain('no account nobody')
  })

  it('answers a password of a stranger as a wrong one', async () => {
    const options = sshOptions(server.sshPort, ['PreferredAuthentications=password', 'NumberOfPasswordPrompts=1'])
    const { code, stderr } = await run('sshpass', ['-p', 'x', 'ssh', ...options, `ada@${web}@127.0.0.1`, 'true'])
    expect([code, stderr]).toEqual([255, expect.stringContaining('Permission denied')])
    expect(stderr).not.toContain('container')
  })

  it('runs nothing for an account whose shell refuses logins', async () => {
    const { code, stdout } = await world.ssh(`daemon@${web}`, ['echo hello'])
    expect([code, stdout.toString()]).toEqual([1, ''])
  })

  it('keeps a row with a cause for each session', async () => {
    await world.ssh(`ada@${web}`, ['echo recorded'])
    const session = await until(async () => {
      const found = await newestSession()
      return found.active ? undefined : found
    })
    expect(session).toMatchObject({ username: 'ada', authenticated: true, device: { name: 'web' } })
  })

  it('records what a process prints where the namespace records', async () => {
    const record = (session_record: boolean) =>
      call(namespaces.update, { params: { tenant: world.person.tenant }, body: { settings: { session_record } } })
    await record(true)
    await world.ssh(`ada@${web}`, ['echo to be recorded'])
    await record(false)
    const { uid } = await newestSession()
    const text = await until(async () => {
      const { body } = await call(sessions.getRecord, { params: { uid, seat: '0' }, query: {} })
      const all = body.map(({ message }) => message).join('')
      return all.includes('to be recorded') ? all : undefined
    })
    expect(text).toContain('to be recorded')
  })

  it('obeys the firewall', async () => {
    const body = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: 'ada' }
    await call(firewall.create, { body: { ...body, filter: { hostname: 'web' } } })
    const refused = await world.ssh(`ada@${web}`, ['true'])
    expect(refused.code).toBe(255)
    expect((await world.ssh(`root@${web}`, ['true'])).code).toBe(0)
    const [rule] = (await call(firewall.list, {})).body
    await call(firewall.remove, { params: { id: rule?.id ?? '' } })
    expect((await world.ssh(`ada@${web}`, ['true'])).code).toBe(0)
  })
})
