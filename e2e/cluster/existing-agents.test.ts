// A device with an existing agent, played by the protocol double, whose tunnel one node holds, used through the other.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentDouble, askingForKeys } from '@bowline/testkit/agent-double'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { serverKinds } from '@bowline/testkit/ssh-servers'
import { beforeAll, describe, expect, it } from 'vitest'
import { acceptDevice } from '../support/agent.ts'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { registerKey } from '../support/registered-key.ts'
import { type SshTarget, ssh } from '../support/ssh.ts'
import { type Cluster, startCluster } from './cluster.ts'

const NAME = 'old-device'
const [openSsh] = serverKinds
const undo = cleanups()
let cluster: Cluster
let double: AgentDouble
let target: SshTarget
let keyFile: string
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process }))

describe.skipIf(!postgresPrograms)('an existing agent on another node (needs the package postgresql)', () => {
  beforeAll(async () => {
    const scratch = new ScratchFolder()
    undo(() => scratch[Symbol.dispose]())
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs1' })
    writeFileSync(scratch.file('key-rsa-2048'), pem, { mode: 0o600 })
    const authorizedKey = scratch.file('nobody.pub')
    writeFileSync(authorizedKey, '')
    const asks = await askingForKeys(() => double)
    undo(() => asks.close())
    if (!openSsh) throw new Error('there is no sshd')
    const inner = await openSsh.start({ scratch, hostKeys: ['rsa'], authorizedKey, configuration: asks.lines })
    undo(() => inner[Symbol.asyncDispose]())
    cluster = await startCluster(2)
    undo(() => cluster.remove())
    const { balanced, nodes } = cluster
    // The second node gets the tunnel; whatever the agent asks later reaches the first.
    cluster.prefer([1, 0])
    const { origin, tenant } = balanced
    const options = { server: origin, tenant, transport: 2, hostname: NAME, privateKey, innerPort: inner.port } as const
    double = await AgentDouble.start(options)
    undo(() => double[Symbol.asyncDispose]())
    const api = await balanced.client()
    const device = await acceptDevice(api, NAME)
    cluster.prefer([0, 1])
    keyFile = join(scratch.path, 'person')
    await registerKey(api, keyFile, 'person')
    const login = `${inner.user}@${device.namespace}.${device.name}`
    target = { host: '127.0.0.1', port: nodes[0]?.ssh.port ?? 0, login, password: '' }
  })

  const options = (): string[] => ['-i', keyFile, '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']

  it('lets a registered key in, whose login any node signs for', async () => {
    const { code, stdout, stderr } = await ssh(target, ['echo through two nodes; exit 4'], { options: options() })
    expect([code, stdout.toString(), stderr]).toEqual([4, 'through two nodes\n', ''])
    expect(double.signatures).toEqual([200])
  })

  it('carries much both ways', async () => {
    const input = Buffer.alloc(4_000_000, 'x')
    const { stdout } = await ssh(target, ['cat'], { options: options(), input })
    expect(stdout.equals(input)).toBe(true)
  })
})
