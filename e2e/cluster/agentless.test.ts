// A device without an agent whose connection one node holds, used through the other.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { ScratchFolder } from '@bowline/testkit/real-client'
import { serverKinds } from '@bowline/testkit/ssh-servers'
import { beforeAll, describe, expect, it } from 'vitest'
import { cleanups } from '../support/cleanup.ts'
import { showOnFailure } from '../support/failure-output.ts'
import { postgresPrograms } from '../support/postgres.ts'
import { registerKey } from '../support/registered-key.ts'
import { run } from '../support/running.ts'
import type { Client, Server } from '../support/server.ts'
import { type SshTarget, ssh } from '../support/ssh.ts'
import { until } from '../support/wait.ts'
import { type Cluster, startCluster } from './cluster.ts'

const NAME = 'router'
const [openSsh] = serverKinds
const undo = cleanups()
const scratch = new ScratchFolder()
undo(() => scratch[Symbol.dispose]())
let cluster: Cluster
let api: Client
let target: SshTarget
let keyFile: string
let installKey: string
/** Ports of two SSH servers with different host keys. */
const ports: number[] = []
showOnFailure(() => ({ a: cluster?.nodes[0]?.process, b: cluster?.nodes[1]?.process }))

function nodeAt(index: number): Server {
  const node = cluster.nodes[index]
  if (!node) throw new Error(`there is no node ${index}`)
  return node
}

/** Connects the device to a node. */
function connect(node: Server, port: number | undefined, user: string) {
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes']
  const args = ['ssh', '-F', 'none', '-i', scratch.key('ed25519', 1), '-p', String(node.ssh.port)]
  const forward = ['-R', `0:127.0.0.1:${port}`, `${user}@${node.ssh.host}`]
  return run([...args, ...options.flatMap((option) => ['-o', option]), ...forward], {})
}

const deviceNow = async () =>
  (await api.call(operations.devices.list, { query: { status: 'accepted' } })).body.find(({ name }) => name === NAME)
const isOnline = async () => (await deviceNow())?.online === true

describe.skipIf(!postgresPrograms)('a device without an agent on another node (needs the package postgresql)', () => {
  beforeAll(async () => {
    if (!openSsh) throw new Error('there is no sshd')
    const trusted = scratch.file('trusted.pub')
    writeFileSync(trusted, '')
    writeFileSync(scratch.file('nobody.pub'), '')
    const configuration = [`TrustedUserCAKeys ${trusted}`]
    for (const folder of [scratch, new ScratchFolder()]) {
      undo(() => folder[Symbol.dispose]())
      const authorizedKey = scratch.file('nobody.pub')
      const inner = await openSsh.start({ scratch: folder, authorizedKey, configuration })
      undo(() => inner[Symbol.asyncDispose]())
      ports.push(inner.port)
      target = { host: '127.0.0.1', port: 0, login: inner.user, password: '' }
    }
    cluster = await startCluster(2)
    undo(() => cluster.remove())
    api = await nodeAt(0).client()
    const lines = (await api.call(operations.devices.userAuthority, {})).body
    writeFileSync(trusted, `${lines.openssh.public_key}\n`)
    installKey = (await api.call(operations.installKeys.create, { body: { name: NAME } })).body.key
    keyFile = join(scratch.path, 'person')
    await registerKey(api, keyFile, 'person')
    const connection = connect(nodeAt(1), ports[0], `${installKey}.${NAME}`)
    undo(() => connection.end())
    await until('the device is online', isOnline)
    const login = `${target.login}@${(await deviceNow())?.namespace}.${NAME}`
    target = { ...target, port: nodeAt(0).ssh.port, login }
  })

  const options = (): string[] => ['-i', keyFile, '-o', 'PubkeyAuthentication=yes', '-o', 'BatchMode=yes']

  it('lets a registered key in by a certificate that the other node makes', async () => {
    const { code, stdout, stderr } = await ssh(target, ['echo through two nodes; exit 4'], { options: options() })
    expect([code, stdout.toString(), stderr]).toEqual([4, 'through two nodes\n', ''])
  })

  it('carries much both ways', async () => {
    const input = Buffer.alloc(4_000_000, 'x')
    const { stdout } = await ssh(target, ['cat'], { options: options(), input })
    expect(stdout.equals(input)).toBe(true)
  })

  it('gives way to its next connection, which is at the other node, and comes back to it', async () => {
    for (const index of [0, 1]) {
      const next = connect(nodeAt(index), ports[0], `${installKey}.${NAME}`)
      undo(() => next.end())
      await until('the device has reconnected', () => next.output().includes(`connected as ${NAME}`))
      await until('the device is online', isOnline)
      const { code, stderr } = await ssh(target, ['exit 5'], { options: options() })
      expect([code, stderr]).toEqual([5, ''])
    }
  })

  it('is refused with another host key by a node, and let in with it after the other node has accepted that', async () => {
    const refused = connect(nodeAt(1), ports[1], `${installKey}.${NAME}`)
    undo(() => refused.end())
    await until('the connection is refused', () => refused.output().includes('host key of this device has changed'))
    const device = await deviceNow()
    const fingerprint = device?.host_key?.presented?.fingerprint
    if (!device || !fingerprint) throw new Error('the device has presented no other key')
    await api.call(operations.devices.acceptHostKey, { params: { uid: device.uid }, body: { fingerprint } })
    // The connection that still leads to the previous server is of no use from the next login on.
    expect((await ssh(target, ['true'], { options: options() })).code).toBe(255)
    const renewed = connect(nodeAt(1), ports[1], `${installKey}.${NAME}`)
    undo(() => renewed.end())
    await until('the device has reconnected', () => renewed.output().includes(`connected as ${NAME}`))
    const { code, stderr } = await ssh(target, ['exit 6'], { options: options() })
    expect([code, stderr]).toEqual([6, ''])
  })
})
