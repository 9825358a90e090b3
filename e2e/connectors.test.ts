// Containers as devices, with a real engine behind TLS, a server as it is installed, and OpenSSH.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { makeCertificates } from '@bowline/engine/testing/certificates'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { type TlsDoor, startTlsDoor } from '@bowline/testkit/tls-door'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { canMakeDevices, makeDevice } from './support/device.ts'
import { registerKey } from './support/registered-key.ts'
import { type Client, type Server, startServer } from './support/server.ts'
import { type SshTarget, ssh, startSsh } from './support/ssh.ts'
import { until } from './support/wait.ts'

const { connectors, containers, firewall, namespaces, sessions } = operations
const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

const certificates = makeCertificates()
let engine: ContainerEngine
let door: TlsDoor
let server: Server
let client: Client
let folder: string
let target: SshTarget
/** Login by a key instead of a password. */
let byKey: readonly string[]
beforeAll(async () => {
  if (missing !== undefined) return
  engine = await startContainerEngine()
  await engine.run('web')
  door = await startTlsDoor(engine, { ca: certificates.ca, ...certificates.server })
  server = await startServer({ env: { BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32' } })
  client = await server.client()
  folder = await mkdtemp(join(tmpdir(), 'bowline-connectors-'))
  const key = join(folder, 'key')
  await registerKey(client, key, 'laptop')
  byKey = ['-o', 'PubkeyAuthentication=yes', '-o', 'PasswordAuthentication=no', '-o', 'IdentitiesOnly=yes', '-i', key]
  const { body: namespace } = await client.call(namespaces.get, { params: { tenant: server.tenant } })
  target = { ...server.ssh, login: `ada@${namespace.name}.web`, password: 'none' }
})
afterAll(async () => {
  await server?.remove()
  door?.close()
  await engine?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const run = (command: string) => ssh(target, [command], { options: byKey })
const newest = async () => (await client.call(sessions.list, {})).body[0]

describe.skipIf(missing !== undefined)('a container behind a connector', () => {
  it('shows up once the connector is added, and is reached once it is accepted', async () => {
    const tls = { ca: certificates.ca, ...certificates.client }
    await client.call(connectors.create, {
      body: { enable: true, address: '127.0.0.1', port: door.port, secure: true, tls },
    })
    const [connector] = (await client.call(connectors.list, {})).body
    expect(connector?.status).toMatchObject({ state: 'connected', message: '' })
    const device = await until('the container is there', async () => {
      const { body } = await client.call(containers.list, { query: { status: 'pending' } })
      return body.find(({ name }) => name === 'web')
    })
    expect((await run('true')).code).toBe(255)
    await client.call(containers.setStatus, { params: { uid: device.uid, status: 'accept' } })
    const { code, stdout } = await run('id -un; exit 7')
    expect([code, stdout.toString()]).toEqual([7, 'ada\n'])
  })

  it('gives a terminal, follows its size, and interrupts what runs in it', async () => {
    const far = 'until stty size; read -t 1 word; do :; done; echo got $word'
    const { host, port, login } = target
    const common = [
      '-F',
      'none',
      '-tt',
      ...byKey,
      '-o',
      'StrictHostKeyChecking=no',
      '-o',
      'UserKnownHostsFile=/dev/null',
    ]
    const line = ['ssh', ...common, '-p', String(port), `${login}@${host}`, `'${far}'`]
    const child = spawn('script', ['-qec', `tty; stty rows 31 columns 99; exec ${line.join(' ')}`, '/dev/null'])
    let shown = ''
    child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()))
    await until('the size is there', () => shown.includes('31 99\r\n'))
    execFileSync('stty', ['-F', /\/dev\/pts\/\d+/.exec(shown)?.[0] ?? '', 'rows', '45', 'columns', '123'])
    await until('the new size is there', () => shown.includes('45 123\r\n'))
    child.stdin.write('hello\n')
    await once(child, 'close')
    expect(shown).toContain('got hello\r\n')
    const shell = startSsh(target, ['sleep 1000001'], ['-tt', ...byKey])
    await until(
      'the command runs',
      async () => (await run('ps -o args | grep -c "^sleep 1000001"')).stdout.toString() === '1\n',
    )
    shell.stdin.write('\u0003')
    const [code] = (await once(shell, 'close')) as [number]
    expect(code).toBe(130)
  })

  it('records a session and keeps its row', async () => {
    const params = { tenant: server.tenant }
    await client.call(namespaces.update, { params, body: { settings: { session_record: true } } })
    await run('echo for the record')
    await client.call(namespaces.update, { params, body: { settings: { session_record: false } } })
    const session = await until('the session has ended', async () => {
      const found = await newest()
      return found?.active ? undefined : found
    })
    expect(session).toMatchObject({ username: 'ada', authenticated: true, recorded: true })
    const { body } = await client.call(sessions.getRecord, { params: { uid: session.uid, seat: '0' }, query: {} })
    expect(body.map(({ message }) => message).join('')).toContain('for the record')
  })

  it('obeys firewall rules', async () => {
    const body = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: 'ada' }
    const rule = (await client.call(firewall.create, { body: { ...body, filter: { hostname: 'web' } } })).body
    expect((await run('true')).code).toBe(255)
    await client.call(firewall.remove, { params: { id: rule.id } })
    expect((await run('true')).code).toBe(0)
  })

  it('is reached through the agent of a device as well, without a port', async (context) => {
    if (!canMakeDevices) return context.skip('needs root, for a device with accounts of its own')
    const path = join(folder, 'engine.sock')
    const socket = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ host: engine.host, port: engine.port, allowHalfOpen: true })
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on('error', () => other.destroy())
        one.pipe(other)
      }
    }).listen(path)
    const device = makeDevice()
    onTestFinished(async () => {
      await device.remove()
      socket.close()
    })
    const { login } = await device.startAgent(server, 'harbour', { BOWLINE_CONTAINERS: path })
    const { body: found } = await client.call(operations.devices.list, { query: { status: 'accepted' } })
    const harbour = found.find(({ name }) => name === 'harbour')
    if (!harbour) throw new Error(`there is no device for ${login}`)
    await client.call(connectors.create, { body: { enable: true, device: harbour.uid } })
    const through = (await client.call(connectors.list, {})).body.find((one) => one.device === harbour.uid)
    expect(through).toMatchObject({ device_name: 'harbour', status: { state: 'connected', message: '' } })
    await engine.run('crane', '--network', 'none')
    const crane = await until('the container is there', async () => {
      const { body } = await client.call(containers.list, { query: { status: 'pending' } })
      return body.find(({ name, remote_addr: address }) => name === 'crane' && address === harbour.remote_addr)
    })
    await client.call(containers.setStatus, { params: { uid: crane.uid, status: 'accept' } })
    const inside = { ...target, login: target.login.replace(/web$/, 'crane') }
    const { code, stdout } = await ssh(inside, ['id -un; exit 7'], { options: byKey })
    expect([code, stdout.toString()]).toEqual([7, 'ada\n'])
    await engine.podman('rm', '-f', '-t', '0', 'crane')
    await until('the container is gone', async () => {
      const { body } = await client.call(containers.list, { query: { status: 'accepted' } })
      return body.every(({ name, online }) => name !== 'crane' || !online)
    })
    await client.call(connectors.remove, { params: { uid: through?.uid ?? '' } })
  })

  it('outlives a restart of the server', async () => {
    await server.process.end()
    await server.start()
    await until('the container is back', async () => (await run('true')).code === 0)
    expect((await run('exit 4')).code).toBe(4)
  })
})
