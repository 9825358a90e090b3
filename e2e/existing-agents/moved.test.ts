// A namespace moves here from the server before: its devices, played by the protocol double, are not touched. They keep the
// address of their server, its namespace and its token, and people keep their keys.
import { execFile, execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { AgentDouble, askingForKeys } from '@bowline/testkit/agent-double'
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { OldServerDouble } from '@bowline/testkit/old-server-double'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { serverKinds } from '@bowline/testkit/ssh-servers'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { root, withoutSettings } from '../support/product.ts'
import { type Server, startServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'

const [openSsh] = serverKinds
const undo = cleanups()
const privateKeys = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey)
let scratch: ScratchFolder
let server: Server
let keyFile: string
showOnFailure(() => ({ server: server?.process }))

beforeAll(async () => {
  scratch = new ScratchFolder()
  undo(() => scratch[Symbol.dispose]())
  keyFile = join(scratch.path, 'person')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile])
  server = await startServer()
  undo(() => server.remove())
})

const fail = (): never => {
  throw new Error('no agent runs')
}

/** Runs a command of the person who moves, and fails with what it says. */
async function bowline(line: string): Promise<string> {
  const command = [join(root, 'apps/server/src/main.ts'), ...line.split(' ')]
  const env = { ...withoutSettings(process.env), HOME: scratch.path, XDG_CONFIG_HOME: '' }
  return (await promisify(execFile)(process.execPath, command, { cwd: root, env })).stdout
}

/** Signs the command line in. @returns the person's token */
async function signIn(): Promise<string> {
  const { body } = await createClient({ origin: server.origin }).call(operations.auth.login, { body: server.account })
  const folder = join(scratch.path, '.config/bowline')
  mkdirSync(folder, { recursive: true })
  const saved = { server: server.origin, token: body.token, refresh_token: 'none' }
  writeFileSync(join(folder, 'sign-in.json'), JSON.stringify(saved))
  return body.token
}

/** A dump of the old server, with tables as they may be called: nobody has documented them. */
function dumpOf({ tenant, state }: OldServerDouble): string {
  const owner = '00000000-0000-4000-8000-000000000001'
  const tables: Record<string, Record<string, unknown>[]> = {
    users: [{ id: owner, username: 'olga', email: 'olga@example.com', password: 'a'.repeat(64), status: 'confirmed' }],
    namespaces: [{ tenant_id: tenant, name: state.name, owner, session_record: 't' }],
    members: [{ tenant_id: tenant, user_id: owner, role: 'owner' }],
    devices: state.devices.map(({ uid, name, identity, info, public_key, status }) => {
      return { uid, tenant_id: tenant, name, identity, info, public_key, status }
    }),
    public_keys: state.publicKeys.map((key) => ({ ...key, tenant_id: tenant })),
  }
  const text = (value: unknown): string =>
    (typeof value === 'string' ? value : JSON.stringify(value))
      .replaceAll('\\', String.raw`\\`)
      .replaceAll('\n', String.raw`\n`)
  const rows = Object.entries(tables).flatMap(([table, items]) => [
    `COPY public.${table} (${Object.keys(items[0] ?? {}).join()}) FROM stdin;`,
    ...items.map((item) => Object.values(item).map(text).join('\t')),
    String.raw`\.`,
  ])
  return `${rows.join('\n')}\n`
}

it.each([
  [1, 'API'],
  [2, 'API'],
  [2, 'dump'],
] as const)('a device comes back that nobody touches, by transport %d, moved by %s', async (transport, way) => {
  const privateKey = privateKeys[transport - 1]
  if (!privateKey || !openSsh) throw new Error('there is no key, or no sshd')
  const old = await OldServerDouble.start()
  onTestFinished(() => old[Symbol.asyncDispose]())
  old.state.name = `moved-${transport}-${way.toLowerCase()}`
  const blob = readFileSync(`${keyFile}.pub`, 'utf8').split(' ')[1] ?? ''
  const fingerprint = createHash('md5')
    .update(blob, 'base64')
    .digest('hex')
    .replaceAll(/..(?=.)/g, '$&:')
  const data = readFileSync(`${keyFile}.pub`).toString('base64')
  old.state.publicKeys.push({ name: 'person', data, fingerprint, username: '.*', filter: { hostname: 'old' } })

  // The name of the server, which leads to the old one first.
  const name: ChaosProxy = await startChaosProxy({ target: { host: '127.0.0.1', port: old.port } })
  onTestFinished(() => name.close())
  const pem = privateKey.export({ format: 'pem', type: 'pkcs1' })
  writeFileSync(scratch.file('key-rsa-2048'), pem, { mode: 0o600 })
  const authorizedKey = scratch.file('nobody.pub')
  writeFileSync(authorizedKey, '')
  // The sshd behind the agent asks it, and so is there before it.
  const agents: AgentDouble[] = []
  const asks = await askingForKeys(() => agents[0] ?? fail())
  onTestFinished(() => asks.close())
  const inner = await openSsh.start({ scratch, hostKeys: ['rsa'], authorizedKey, configuration: asks.lines })
  onTestFinished(() => inner[Symbol.asyncDispose]())
  const double = await AgentDouble.start({
    server: `http://${name.host}:${name.port}`,
    tenant: old.tenant,
    transport,
    hostname: `old-${transport}`,
    privateKey,
    innerPort: inner.port,
  })
  agents.push(double)
  onTestFinished(() => double[Symbol.asyncDispose]())
  const uid = DeviceUid.parse(double.uid)
  expect(old.state.devices).toMatchObject([{ uid, name: `old-${transport}` }])

  const token = await signIn()
  writeFileSync(scratch.file('token'), old.token)
  let file = scratch.file(`old-${transport}.json`)
  if (way === 'API') await bowline(`import fetch ${old.origin} --token-file ${scratch.file('token')} --to ${file}`)
  else {
    writeFileSync(scratch.file('old.sql'), dumpOf(old))
    await bowline(`import dump ${scratch.file('old.sql')} --to ${scratch.file('old')}`)
    file = scratch.file(`old/namespaces/${old.state.name}.json`)
  }
  await bowline(`import apply ${file} --create`)
  const client = createClient({ origin: server.origin, token: () => token })
  const params = { tenant: TenantId.parse(old.tenant) }
  const { body: moved } = await client.call(operations.auth.switchNamespace, { params })
  const there = createClient({ origin: server.origin, token: () => moved.token })
  const { body: waiting } = await there.call(operations.devices.get, { params: { uid } })
  expect(waiting).toMatchObject({ status: 'accepted', online: false })

  const { port } = new URL(server.origin)
  name.moveTo({ host: '127.0.0.1', port: Number(port) }, 'cut')
  await until('the agent is back', () => double.tunnels > 0)
  await untilOnline(there, uid)
  const login = `${inner.user}@${old.state.name}.old-${transport}`
  const options = ['-i', keyFile, '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
  const { code, stdout, stderr } = await ssh({ ...server.ssh, login, password: '' }, ['echo moved'], { options })
  expect([code, stdout.toString(), stderr]).toEqual([0, 'moved\n', ''])
  // It has not registered here: its first token was good for the tunnel and for the login.
  expect([double.registrations.length, double.signatures]).toEqual([1, [200]])
})
