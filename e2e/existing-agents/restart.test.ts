// Existing agents, played by the protocol double, and a server that is killed: they never ask for another token, so those
// that they have must be good for ever.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { AgentDouble, askingForKeys } from '@bowline/testkit/agent-double'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { serverKinds } from '@bowline/testkit/ssh-servers'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { acceptDevice, untilOnline } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { registerKey } from '../support/registered-key.ts'
import { type Server, startServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'

const [openSsh] = serverKinds
const undo = cleanups()
let server: Server
let double: AgentDouble
let keyFile: string
let innerPort: number
let user: string
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
showOnFailure(() => ({ server: server?.process }))

beforeAll(async () => {
  const scratch = new ScratchFolder()
  undo(() => scratch[Symbol.dispose]())
  const pem = privateKey.export({ format: 'pem', type: 'pkcs1' })
  writeFileSync(scratch.file('key-rsa-2048'), pem, { mode: 0o600 })
  const authorizedKey = scratch.file('nobody.pub')
  writeFileSync(authorizedKey, '')
  const asks = await askingForKeys(() => double)
  undo(() => asks.close())
  if (!openSsh) throw new Error('there is no sshd')
  const inner = await openSsh.start({ scratch, hostKeys: ['rsa'], authorizedKey, configuration: asks.lines })
  undo(() => inner[Symbol.asyncDispose]())
  innerPort = inner.port
  user = inner.user
  server = await startServer()
  undo(() => server.remove())
  keyFile = join(scratch.path, 'person')
  await registerKey(await server.client(), keyFile, 'person')
})

it.each([1, 2] as const)('the first token opens a tunnel and has logins signed by transport %d', async (transport) => {
  const hostname = `old-${transport}`
  const { origin, tenant } = server
  double = await AgentDouble.start({ server: origin, tenant, transport, hostname, privateKey, innerPort })
  const device = await acceptDevice(await server.client(), hostname)
  onTestFinished(async () => {
    await double[Symbol.asyncDispose]()
    // Both doubles have one key and one address: the next is a new device only when this is gone.
    await (await server.client()).call(operations.devices.remove, { params: { uid: device.uid } })
  })
  await double.register()
  const tokens = double.registrations.map(({ token }) => token)
  expect(tokens[1]).not.toBe(tokens[0])
  // The next tunnel comes with what is left: the first.
  double.registrations.pop()
  await server.process.end('SIGKILL')
  const tunnels = double.tunnels
  await server.start()
  await until('the agent is back', () => double.tunnels > tunnels)
  await untilOnline(await server.client(), device.uid)
  const login = `${user}@${device.namespace}.${device.name}`
  const options = ['-i', keyFile, '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']
  const { code, stdout, stderr } = await ssh({ ...server.ssh, login, password: '' }, ['echo back'], { options })
  expect([code, stdout.toString(), stderr]).toEqual([0, 'back\n', ''])
  // While the server is away, connections are refused without an answer.
  expect([double.signatures, double.refusals.filter((status) => status >= 400)]).toEqual([[200], []])
})
