// `npm run agents:existing -- PATH connector`: the connector of an existing agent, which makes each container of an engine a
// device of its own, beside a real podman.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { type ContainerEngine, startContainerEngine } from '@bowline/testkit/container-engine'
import { registerKey } from '../support/registered-key.ts'
import { run } from '../support/running.ts'
import { type Client, type Server, startServer } from '../support/server.ts'
import { scp, ssh, startSshInTerminal } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Board, expect } from './row.ts'

interface World {
  readonly server: Server
  readonly api: Client
  readonly engine: ContainerEngine
  /** Private key that is registered for everything. */
  readonly key: string
}

/** Runs the rows and prints them. @param program path of the agent */
export async function connectorBoard(program: string, board: Board): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-connector-board-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const engine = await startContainerEngine()
  stack.defer(() => engine.close())
  await engine.run('web')
  const server = await startServer()
  stack.defer(() => server.remove())
  const api = await server.client()
  const key = join(folder, 'key')
  await registerKey(api, key, 'connector board')
  const connector = run([program, 'connector'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      DOCKER_HOST: `tcp://${engine.host}:${engine.port}`,
      SHELLHUB_SERVER_ADDRESS: server.origin,
      SHELLHUB_TENANT_ID: server.tenant,
      SHELLHUB_PRIVATE_KEYS: `${folder}/keys/`,
    },
  })
  stack.defer(async () => void (await connector.end()))
  const world: World = { server, api, engine, key }
  let device: Device | undefined
  await board.row('a running container is listed as one, and can be accepted', async () => {
    device = await acceptContainer(api, 'web')
    return `${device.info?.version}, ${device.info?.platform}, ${device.info?.pretty_name}`
  })
  if (!device) return
  const login = loginTo(world, device)
  await board.row('a registered key, a command and its output', async () => {
    const { code, stdout, stderr } = await ssh(login.target, ['id', '-un'], { options: login.options })
    expect(stderr, [code, stdout.toString()], [0, 'ada\n'])
    return 'ok'
  })
  await board.row('the status of a command', async () => {
    const { code } = await ssh(login.target, ['false'], { options: login.options })
    expect('status', code, 1)
    return 'ok'
  })
  await board.row('a shell in a terminal', async () => {
    const client = startSshInTerminal(login.target, [], { rows: 33, columns: 101 }, login.options)
    let shown = ''
    client.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()))
    await until('the prompt', () => /[$#] /.test(shown))
    client.stdin.write('echo $((6*7))-shell; exit 3\n')
    await until(`the answer in ${JSON.stringify(shown)}`, () => shown.includes('42-shell'))
    const isOver = (): boolean => client.exitCode !== null
    if (await until('the end', isOver, 5_000).catch(() => false)) return `status ${client.exitCode}`
    // The connector of 0.27 keeps it open, also for an ssh that reaches its SSH server directly.
    client.kill()
    return 'stays open when its program has ended'
  })
  await board.row('files are refused', async () => {
    const { code, stderr } = await scp(login.target, login.options, '/etc/hostname', 'host:copied')
    expect(stderr, code, 255)
    return stderr.trim().split('\n').at(-1) ?? ''
  })
  await board.row('a container that starts later is listed and reached', async () => {
    await engine.run('late')
    const late = loginTo(world, await acceptContainer(api, 'late'))
    expect('output', (await ssh(late.target, ['echo', 'late'], { options: late.options })).stdout.toString(), 'late\n')
    return 'ok'
  })
  await board.row('a container that stops is offline', async () => {
    const { uid } = device!
    await engine.podman('stop', '--time', '0', 'web')
    await until('it is offline', async () => {
      return !(await api.call(operations.containers.get, { params: { uid } })).body.online
    })
    return 'ok'
  })
}

/** Accepts a container as soon as it is listed, and waits until it is online. */
async function acceptContainer(api: Client, name: string): Promise<Device> {
  const { containers } = operations
  const { uid } = await until(`the container ${name} waits to be accepted`, async () => {
    const { body } = await api.call(containers.list, { query: { status: 'pending' } })
    return body.find((one) => one.name === name)
  })
  await api.call(containers.setStatus, { params: { uid, status: 'accept' } })
  return until('the container is online', async () => {
    const { body } = await api.call(containers.get, { params: { uid } })
    return body.online && body
  })
}

function loginTo({ server, key }: World, { namespace, name }: Device) {
  const options = ['-i', key, '-o', 'IdentitiesOnly=yes', '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
  return { target: { ...server.ssh, login: `ada@${namespace}.${name}`, password: 'none' }, options }
}
