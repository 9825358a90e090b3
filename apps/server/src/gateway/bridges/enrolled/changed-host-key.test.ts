// A device without an agent whose SSH server has another host key than before: what is seen of it, and its acceptance.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { ScratchFolder, run, sshOptions } from '@bowline/testkit/real-client'
import { type RealServer, serverKinds } from '@bowline/testkit/ssh-servers'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../../testing/boot.ts'
import { connectDevice, installKeyOf, onlineDevice, ownKey, relayTo } from './testing.ts'

const [, , , asyncssh] = serverKinds
let server: BootedServer
let person: Person
const scratch = new ScratchFolder()
/** Servers that take the password `right`, each with a host key of its own. */
const sshds: { server: RealServer; fingerprint: string; scratch: ScratchFolder }[] = []

beforeAll(async () => {
  if (!asyncssh) throw new Error('the servers are missing')
  for (let index = 0; index < 3; index += 1) {
    const own = new ScratchFolder()
    const started = await asyncssh.start({ scratch: own, authorizedKey: `${own.key('rsa', 2_048)}.pub` })
    const { stdout } = await run('ssh-keygen', ['-l', '-f', `${own.key('ed25519')}.pub`])
    sshds.push({ server: started, fingerprint: stdout.toString().split(' ')[1] ?? '', scratch: own })
  }
  server = await bootServer({
    settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_PUBLIC_URL: 'https://console.example' },
  })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  for (const { server: sshd, scratch: own } of sshds) {
    await sshd[Symbol.asyncDispose]()
    own[Symbol.dispose]()
  }
  scratch[Symbol.dispose]()
})

const portOf = (index: number) => sshds[index]?.server.port ?? 0
const fingerprintOf = (index: number) => sshds[index]?.fingerprint ?? ''

/** Enrols a device with the first server behind it. */
async function enrol(name: string, port = portOf(0)) {
  const own = ownKey(scratch)
  const user = `${await installKeyOf(person)}.${name}`
  const client = connectDevice(server, user, { port, key: own })
  const { uid } = await onlineDevice(person, name)
  await until(() => client.said().includes('enrolled as'))
  const again = (index: number) => connectDevice(server, user, { port: portOf(index), key: own })
  /** Ends its connection, and has it present the host key of another server. */
  async function present(index: number): Promise<string> {
    client.stop()
    await client.ended
    const refused = again(index)
    await refused.ended
    return refused.said()
  }
  return { uid, client, again, present }
}

const hostKeyOf = async (uid: string) =>
  (await person.client.call(operations.devices.get, { params: { uid } })).body.host_key
const accept = (uid: string, fingerprint: string, by = person) =>
  by.client.call(operations.devices.acceptHostKey, { params: { uid }, body: { fingerprint } })

function withPassword(name: string, ...command: string[]) {
  const once = ['PreferredAuthentications=password', 'NumberOfPasswordPrompts=1', 'LogLevel=INFO']
  const target = `ann@${person.namespace}.${name}@127.0.0.1`
  return run('sshpass', ['-p', 'right', 'ssh', ...sshOptions(server.sshPort, once), target, ...command])
}

/** Names of the devices that the list has for this filter. */
async function changedOnes(): Promise<string[]> {
  const property = { name: 'host_key_changed', operator: 'bool', value: true }
  const filter = Buffer.from(JSON.stringify([{ type: 'property', params: property }])).toString('base64')
  return (await person.client.call(operations.devices.list, { query: { filter } })).body.map(({ name }) => name)
}

/** Entries of the audit log about a device: action, and the fingerprints before and after. */
async function audited(uid: string): Promise<unknown[]> {
  const { body } = await person.client.call(operations.audit.list, { query: { action: 'device' } })
  const about = body.filter(({ target, action }) => target === uid && action.endsWith('host-key'))
  return about.map(({ action, details }) => [action, details['before'], details['after']])
}

describe('a host key that has changed', () => {
  it('is told with both fingerprints to the terminal of the device, and where to accept it', async () => {
    const { uid, present } = await enrol('reported')
    const said = await present(1)
    expect(said).toContain(`It was ${fingerprintOf(0)} (ED25519),`)
    expect(said).toContain(`it is  ${fingerprintOf(1)} (ED25519).`)
    expect(said).toContain(`https://console.example/devices/${uid}`)
  })

  it('is visible on the device with the time of its first appearance', async () => {
    const { uid, present, again } = await enrol('visible')
    expect(await hostKeyOf(uid)).toEqual({ type: 'ssh-ed25519', fingerprint: fingerprintOf(0), presented: null })
    await present(1)
    const first = (await hostKeyOf(uid))?.presented
    expect(first).toEqual({ type: 'ssh-ed25519', fingerprint: fingerprintOf(1), since: expect.any(String) })
    await again(1).ended
    expect((await hostKeyOf(uid))?.presented).toEqual(first)
    expect(await changedOnes()).toContain('visible')
    expect((await hostKeyOf(uid))?.fingerprint).toBe(fingerprintOf(0))
  })

  it('is no more once the device presents its own key again', async () => {
    const { uid, present, again } = await enrol('returned')
    await present(1)
    again(0)
    await onlineDevice(person, 'returned')
    expect((await hostKeyOf(uid))?.presented).toBeNull()
    expect(await outcome(accept(uid, fingerprintOf(1)))).toBe('409 HOST_KEY_NOT_PRESENTED fingerprint')
  })

  it('lets people in again after a member has accepted it, and refuses the old one', async () => {
    const { uid, present, again } = await enrol('renewed')
    await present(1)
    const { body } = await accept(uid, fingerprintOf(1))
    expect(body.host_key).toEqual({ type: 'ssh-ed25519', fingerprint: fingerprintOf(1), presented: null })
    const client = again(1)
    await onlineDevice(person, 'renewed')
    expect((await withPassword('renewed', 'echo in')).stdout.toString()).toBe('in\n')
    const fingerprint = (index: number) => ({ fingerprint: fingerprintOf(index) })
    expect(await audited(uid)).toEqual([
      ['device.accept-host-key', fingerprint(0), fingerprint(1)],
      ['device.host-key', fingerprint(0), fingerprint(1)],
    ])
    client.stop()
    await client.ended
    const old = again(0)
    await old.ended
    expect(old.said()).toContain('the host key of this device has changed')
  })

  it('is accepted as it was shown: a third key that came meanwhile is not', async () => {
    const { uid, present, again } = await enrol('third')
    await present(1)
    await again(2).ended
    expect(await outcome(accept(uid, fingerprintOf(1)))).toBe('409 HOST_KEY_NOT_PRESENTED fingerprint')
    expect(await hostKeyOf(uid)).toMatchObject({
      fingerprint: fingerprintOf(0),
      presented: { fingerprint: fingerprintOf(2) },
    })
    const refused = again(1)
    await refused.ended
    expect(refused.said()).toContain('the connection is refused')
  })

  it('is accepted once: the same call again changes nothing', async () => {
    const { uid, present } = await enrol('twice')
    await present(1)
    await accept(uid, fingerprintOf(1))
    await accept(uid, fingerprintOf(1))
    expect((await audited(uid)).filter((entry) => String(entry).startsWith('device.accept'))).toHaveLength(1)
  })

  it('is accepted only by those who may remove devices', async () => {
    const { uid, present } = await enrol('roles')
    await present(1)
    const operator = await server.addPerson('keyoperator')
    await server.addMember(person.tenant, operator.id, 'operator')
    const params = { tenant: person.tenant }
    const { token } = (await operator.client.call(operations.auth.switchNamespace, { params })).body
    const response = await server.fetch(`/api/devices/${uid}/host-key`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ fingerprint: fingerprintOf(1) }),
    })
    expect(response.status).toBe(403)
    expect((await hostKeyOf(uid))?.fingerprint).toBe(fingerprintOf(0))
  })
})

describe('a connection that stands', () => {
  it('leads to the accepted key from the next login on, and to no other', async () => {
    const { port, target } = await relayTo(portOf(0))
    const { uid } = await enrol('standing', port)
    target.port = portOf(1)
    expect((await withPassword('standing', 'echo before')).code).toBe(255)
    await until(async () => (await hostKeyOf(uid))?.presented?.fingerprint === fingerprintOf(1))
    await accept(uid, fingerprintOf(1))
    expect((await withPassword('standing', 'echo after')).stdout.toString()).toBe('after\n')
    target.port = portOf(0)
    expect((await withPassword('standing', 'echo old')).code).toBe(255)
  })

  it('ends sessions with the server of the old key when another is accepted, and says why', async () => {
    const { port, target } = await relayTo(portOf(0))
    const { uid } = await enrol('rotated', port)
    const old = withPassword('rotated', 'echo begun; sleep 600')
    const sessionOf = async (active: boolean) =>
      (await person.client.call(operations.sessions.list, { query: {} })).body.find(
        (session) => session.device?.name === 'rotated' && session.authenticated && session.active === active,
      )
    await until(async () => (await sessionOf(true)) !== undefined)
    target.port = portOf(1)
    expect((await withPassword('rotated', 'echo refused')).code).toBe(255)
    await until(async () => (await hostKeyOf(uid))?.presented?.fingerprint === fingerprintOf(1))
    await accept(uid, fingerprintOf(1))
    const done = await old
    expect([done.code, done.stdout.toString()]).toEqual([255, 'begun\n'])
    expect(done.stderr).toContain('A new host key was accepted for the device.')
    await until(async () => (await sessionOf(false))?.closed?.reason === 'host-key-changed')
  })

  it('keeps sessions with the server of the accepted key when the device changes otherwise', async () => {
    const { port, target } = await relayTo(portOf(0))
    const { uid } = await enrol('kept', port)
    target.port = portOf(1)
    expect((await withPassword('kept', 'echo refused')).code).toBe(255)
    await until(async () => (await hostKeyOf(uid))?.presented?.fingerprint === fingerprintOf(1))
    await accept(uid, fingerprintOf(1))
    const flag = join(scratch.path, 'kept')
    const running = withPassword('kept', `echo > ${flag}.begun; until [ -e ${flag} ]; do sleep .1; done; echo kept`)
    await until(() => existsSync(`${flag}.begun`))
    const params = { params: { uid } }
    await person.client.call(operations.devices.update, { ...params, body: { note: 'Its key was rotated.' } })
    expect((await withPassword('kept', 'echo another')).stdout.toString()).toBe('another\n')
    writeFileSync(flag, '')
    expect((await running).stdout.toString()).toBe('kept\n')
  })
})

it('a device with an agent has no host key to accept', async () => {
  const { uid } = await server.acceptedDevice(person)
  expect(await hostKeyOf(uid)).toBeUndefined()
  expect(await outcome(accept(uid, fingerprintOf(1)))).toBe('404 NOT_FOUND')
})
