// Password attempts need no credential: their answers must not reveal which devices exist or are online.
import { operations } from '@bowline/contract/operations'
import type { AuthDecision } from '@bowline/ssh/api'
import * as n from '@bowline/ssh/wire/numbers'
import { ed25519Key } from '@bowline/ssh/testing/user-key'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { REFUSAL_STEP_MS, paced } from '../admission/refusal-pace.ts'
import { type Behaviour, fakeDevice, judging, rawClient, signedIn } from '../../testing/gateway.ts'
import { greetedPage } from '../web/testing.ts'
import { until } from '@bowline/testkit/until'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({
    settings: { BOWLINE_MAX_SESSIONS_PER_ACCOUNT: '1', BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' },
  })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** The answers to two wrong passwords, as raw bytes. */
async function answersTo(login: string): Promise<string[]> {
  const client = await rawClient(server)
  await client.startAuthentication()
  const answers: string[] = []
  for (const password of ['wrong', 'wrong again']) {
    client.sendPassword(login, password)
    for (let type = 0; type !== n.MSG_USERAUTH_FAILURE && type !== n.MSG_DISCONNECT;) {
      const message = await client.next(n.MSG_USERAUTH_BANNER, n.MSG_USERAUTH_FAILURE, n.MSG_DISCONNECT)
      type = message[0] ?? 0
      answers.push(message.toString('latin1'))
    }
  }
  client.socket.destroy()
  return answers
}

describe('wrong passwords', () => {
  it('answers a wrong password alike for online, offline, pending, rejected and unknown devices', async () => {
    const online = await fakeDevice(server, person)
    const offline = await server.acceptedDevice(person)
    const pending = await server.registerDevice(person.tenant)
    const rejected = await server.registerDevice(person.tenant)
    await person.client.call(operations.devices.setStatus, { params: { uid: rejected.uid, status: 'reject' } })
    const logins = [
      online.login('root'),
      `root@${offline.uid}`,
      `root@${pending.uid}`,
      `root@${rejected.uid}`,
      `root@${'0'.repeat(64)}`,
      'root@nobody.nothing',
    ]
    const [first, ...others] = await Promise.all(logins.map(answersTo))
    expect(first?.map((answer) => answer.charCodeAt(0))).toEqual([
      n.MSG_USERAUTH_BANNER,
      n.MSG_USERAUTH_FAILURE,
      n.MSG_USERAUTH_FAILURE,
    ])
    expect(others).toEqual(Array(logins.length - 1).fill(first))
  })
})

describe('a name that leads to another device between two attempts', () => {
  it('disconnects the client, and nothing else', async () => {
    const first = await fakeDevice(server, person)
    const second = await server.acceptedDevice(person)
    const login = first.login('root')
    const name = login.slice(login.lastIndexOf('.') + 1)
    const rename = (uid: string, to: string) =>
      person.client.call(operations.devices.rename, { params: { uid }, body: { name: to } })
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(login, 'wrong')
    await client.next(n.MSG_USERAUTH_FAILURE)
    await rename(first.device.uid, `${name}-before`)
    await rename(second.uid, name)
    client.sendPassword(login, 'wrong again')
    const [type] = await client.next(n.MSG_DISCONNECT)
    expect(type).toBe(n.MSG_DISCONNECT)
    expect(await answersTo(`root@${second.uid}`)).toHaveLength(3)
  })
})

/** A device whose password checks are all in use. */
const busy: Behaviour = (_kind, _header, stream) => ({
  ...judging(stream),
  control: () => stream.control({ type: 'denied', reason: 'busy' }),
})

/** A device that checks no passwords, and says so. */
const withoutPasswords: Behaviour = (_kind, _header, stream) => ({
  ...judging(stream),
  control: () => stream.control({ type: 'denied', reason: 'unsupported', message: 'Passwords are not checked here.' }),
})

/** Denies an account on every device of the namespace until the end of the test. */
async function denyAccount(username: string): Promise<void> {
  const rule = { action: 'deny', active: true, priority: 1, source_ip: '.*', username: `^${username}$` } as const
  const { body } = await person.client.call(operations.firewall.create, {
    body: { ...rule, filter: { hostname: '.*' } },
  })
  onTestFinished(async () => void (await person.client.call(operations.firewall.remove, { params: { id: body.id } })))
}

/** Disconnect message after a login attempt with a registered key. */
async function endingAfterKey(login: string): Promise<string> {
  const key = ed25519Key()
  const line = `${key.publicKey.type} ${Buffer.from(key.blob).toString('base64')}`
  const data = Buffer.from(line).toString('base64')
  const body = { name: 'own', data, filter: { hostname: '.*' }, username: '.*' }
  await person.client.call(operations.publicKeys.create, { body })
  const client = await rawClient(server)
  await client.startAuthentication()
  client.send(client.publicKeyRequest({ user: login, algorithm: key.algorithm, blob: key.blob, signer: key.sign }))
  return (await client.disconnected()).message
}

describe('unchecked passwords', () => {
  it('answers alike for a firewall refusal, a busy device and an unknown device', async () => {
    await denyAccount('barred')
    const online = await fakeDevice(server, person)
    const offline = await server.acceptedDevice(person)
    const occupied = await fakeDevice(server, person, busy)
    const logins = [online.login('barred'), `barred@${offline.uid}`, occupied.login('root')]
    const [unknown, ...others] = await Promise.all(['barred@nobody.nothing', ...logins].map(answersTo))
    expect(others).toEqual(Array(logins.length).fill(unknown))
    expect(online.credentials).toEqual([])
  })

  it('answers like an unknown device for one that checks none, and tells a person in a terminal why', async () => {
    const device = await fakeDevice(server, person, withoutPasswords)
    expect(await answersTo(device.login('root'))).toEqual(await answersTo('root@nobody.nothing'))
    const page = await greetedPage(server, person, device.device.uid)
    await page.next('welcome')
    page.say({ type: 'password', password: 'any' })
    expect((await page.next('ended')).message).toContain('Passwords are not checked here.')
  })

  it('records a firewall refusal once per connection', async () => {
    await denyAccount('barred')
    const online = await fakeDevice(server, person)
    await answersTo(online.login('barred'))
    const { call } = person.client
    const ended = await until(async () => {
      const { body } = await call(operations.sessions.list, {})
      return body.find(({ device_uid, closed }) => device_uid === online.device.uid && closed)
    })
    expect(ended.closed).toMatchObject({ by: 'policy', reason: 'firewall' })
    const { body } = await call(operations.sessions.get, { params: { uid: ended.uid } })
    expect(body.events.items?.filter(({ type }) => type === 'firewall')).toHaveLength(1)
  })
})

describe('a name without a device', () => {
  it('is refused no sooner than a wrong password at a slow device', async () => {
    const clock = new ManualClock()
    const slowServer = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
    onTestFinished(() => slowServer.close())
    const owner = await slowServer.setUpAccount()
    const device = await fakeDevice(slowServer, owner, (_kind, _header, stream) => ({
      ...judging(stream),
      control: () => void clock.after(3_000, () => stream.control({ type: 'denied', reason: 'credential' })),
    }))
    /** Milliseconds of the server's clock until a wrong password is refused. */
    const refusedAfter = async (login: string): Promise<number> => {
      const client = await rawClient(slowServer)
      await client.startAuthentication()
      const since = clock.monotonic()
      client.sendPassword(login, 'wrong')
      const refusal = { came: false }
      void client.next(n.MSG_USERAUTH_FAILURE).then(() => (refusal.came = true))
      while (!refusal.came) {
        // Whatever the server has to do meanwhile takes it less than some requests.
        for (let request = 0; request < 5; request += 1) await fetch(`${slowServer.origin}/info`)
        clock.advance(100)
      }
      client.socket.destroy()
      return clock.monotonic() - since
    }
    expect(await refusedAfter(device.login('root'))).toBeGreaterThanOrEqual(3_000)
    expect(await refusedAfter('root@nobody.nothing')).toBeGreaterThanOrEqual(3_000)
  })
})

describe('session limit of a device', () => {
  it('reveals a device’s session limit only after a correct password', async () => {
    const device = await fakeDevice(server, person)
    await signedIn(server, device.login('root'))
    expect(await answersTo(device.login('root'))).toEqual(await answersTo('root@nobody.nothing'))
    const client = await rawClient(server)
    await client.startAuthentication()
    client.sendPassword(device.login('root'), 'right')
    expect((await client.disconnected()).message).toMatch(/too many sessions are open already/)
  })
})

describe('registered keys', () => {
  it('tells the owner of a registered key about a firewall refusal', async () => {
    await denyAccount('barred')
    const device = await fakeDevice(server, person)
    expect(await endingAfterKey(device.login('barred'))).toMatch(/access to this device is refused/)
  })

  it('tells the owner of a registered key that the device is busy', async () => {
    const device = await fakeDevice(server, person, busy)
    expect(await endingAfterKey(device.login('root'))).toMatch(/too many sign-ins to this device/)
  })
})

describe('paced refusals', () => {
  it.each([0, 1, 5, 400, 999])('delays a refusal known after %i ms to a whole second', async (known) => {
    const clock = new ManualClock()
    const judged = Promise.withResolvers<AuthDecision>()
    const answer = paced(clock, judged.promise, REFUSAL_STEP_MS)
    let answered = false
    void answer.then(() => (answered = true))
    clock.advance(known)
    judged.resolve({ result: 'reject' })
    await judged.promise
    await Promise.resolve()
    clock.advance(999 - known)
    await Promise.resolve()
    expect(answered).toBe(false)
    clock.advance(1)
    expect(await answer).toEqual({ result: 'reject' })
  })

  it('answers a correct password at once', async () => {
    const accepted: AuthDecision = { result: 'accept' }
    expect(await paced(new ManualClock(), Promise.resolve(accepted), REFUSAL_STEP_MS)).toBe(accepted)
  })
})
