// Somebody joins the terminal of another member: with consent only, and for as long as they may have one themselves.
import { once } from 'node:events'
import { operations } from '@bowline/contract/operations'
import { LIMITS } from '@bowline/contract/limits'
import { SessionUid } from '@bowline/contract/schemas/common'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { LINK_DEFAULTS, type LinkStream, type StreamHandler } from '@bowline/link/api'
import { until } from '@bowline/testkit/until'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { type Behaviour, fakeDevice, judging, signedIn } from '../../testing/gateway.ts'
import { type Page, openPage, readyPage, resumedPage } from '../web/testing.ts'
import { admitNext, askingPage, memberOf, nextAsking } from './testing.ts'

const clock = new ManualClock(Date.now())
let server: BootedServer
let ada: Person
let ben: Person
let cleo: Person
let eve: Person

beforeAll(async () => {
  server = await bootServer({
    clock,
    settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8', BOWLINE_TRUSTED_PROXIES: '127.0.0.1/32' },
  })
  ada = await server.setUpAccount()
  ben = await memberOf(server, ada, 'ben', 'operator')
  cleo = await memberOf(server, ada, 'cleo', 'observer')
  eve = await server.addPerson('eve')
})
afterAll(() => server.close())
// Requests of one test do not count in the next.
afterEach(() => clock.advanceAsync(120_000))

/** A device that keeps what was typed, and writes what the test says. */
function byHand() {
  const { promise: process, resolve } = Promise.withResolvers<LinkStream>()
  let input = ''
  let sizes = 0
  const behave: Behaviour = (kind, _, stream): StreamHandler => {
    if (kind === 'auth') return judging(stream)
    stream.control({ type: 'started', quiet: true })
    resolve(stream)
    return {
      data(bytes) {
        input += Buffer.from(bytes).toString()
        stream.consumed(bytes.length)
      },
      control: () => void (sizes += 1),
      closed: () => undefined,
    }
  }
  return { behave, process, input: () => input, sizes: () => sizes }
}

/** A terminal of Ada's. */
async function terminal() {
  const hand = byHand()
  const { device } = await fakeDevice(server, ada, hand.behave)
  const opened = await readyPage(server, ada, device.uid)
  const stream = await hand.process
  return { ...hand, ...opened, device, write: (text: string) => stream.write(Buffer.from(text)) }
}

async function joined(owner: Page, session: string, person = ben, options: { takes?: boolean; from?: string } = {}) {
  const page = await askingPage(server, person, session, options)
  const guest = await admitNext(owner)
  await page.next('joined')
  const { token } = await page.next('ready')
  return { page, guest, token }
}

const uidOf = (session: string) => SessionUid.parse(session)
async function events(session: string) {
  // They are written in batches.
  await clock.advanceAsync(300)
  const { body } = await ada.client.call(operations.sessions.get, { params: { uid: uidOf(session) } })
  return (body.events.items ?? []).filter(({ type }) => type.startsWith('join'))
}
async function audited(session: string) {
  const rows = server.database.system().selectFrom('audit_log').select(['action', 'actor_id', 'details'])
  return (await rows.where('target', '=', session).orderBy('id').execute()).filter(({ action }) =>
    action.startsWith('session.join'),
  )
}
const ask = (person: Person, session: string) =>
  outcome(person.client.call(operations.sessions.join, { params: { uid: uidOf(session) } }))

describe('asking to join a terminal', () => {
  it('lets a member type once the person in it has said yes, and tells both who is there', async () => {
    const { page: owner, session, input, write } = await terminal()
    const guest = await askingPage(server, ben, session)
    expect(await guest.next('asking')).toEqual({ type: 'asking', seconds: 60 })
    const sharing = await owner.next('sharing')
    expect(sharing).toMatchObject({ owner: 'ada', asking: [{ name: 'ben', seconds: 60 }], joined: [], paused: false })
    owner.say({ type: 'admit', guest: sharing.asking[0]?.guest ?? '' })
    expect(await guest.next('joined')).toEqual({ type: 'joined', session, columns: 80, rows: 24 })
    await guest.next('ready')
    owner.data(0, 'one ')
    await until(() => input() === 'one ')
    guest.data(0, 'two ')
    await until(() => input() === 'one two ')
    owner.data(4, 'three')
    await until(() => input() === 'one two three')
    write('for both')
    await until(() => guest.output().toString() === 'for both')
    await until(() => owner.output().toString().endsWith('for both'))
    // Credit returns to whoever has typed.
    await until(() => owner.taken() === 9 && guest.taken() === 4)
    expect(await owner.next('typed')).toMatchObject({ guest: sharing.asking[0]?.guest })
    expect((await guest.next('sharing')).joined).toMatchObject([{ name: 'ben' }])
  })

  it('notes requests, joining, input and the end in the session and the audit log', async () => {
    const { page: owner, session } = await terminal()
    const { page: guest } = await joined(owner, session)
    owner.data(0, 'a')
    guest.data(0, 'secret')
    await until(() => guest.taken() === 6)
    guest.say({ type: 'bye' })
    await until(async () => (await events(session)).length === 4)
    expect((await events(session)).map(({ type, data }) => [type, data])).toEqual([
      ['join-request', { by: 'ben' }],
      ['join', { by: 'ben' }],
      ['join-input', { by: 'ben' }],
      ['join-end', { by: 'ben', reason: 'join-left', typed: 6 }],
    ])
    expect(await audited(session)).toMatchObject([
      { action: 'session.join', actor_id: ada.id, details: { person: 'ben' } },
      { action: 'session.join-end', actor_id: ben.id, details: { person: 'ben', reason: 'join-left' } },
    ])
  })

  it('ends with a denial', async () => {
    const { page: owner, session, input } = await terminal()
    const guest = await askingPage(server, ben, session)
    owner.say({ type: 'refuse', guest: await nextAsking(owner) })
    expect(await guest.next('ended')).toMatchObject({ by: 'user', reason: 'join-denied' })
    await until(async () => (await audited(session)).length === 1)
    expect(await audited(session)).toMatchObject([
      { action: 'session.join-deny', actor_id: ada.id, details: { person: 'ben', reason: 'join-denied' } },
    ])
    guest.data(0, 'anyway')
    owner.data(0, 'x')
    await until(() => input() === 'x')
    // Nobody is asked twice.
    const again = await askingPage(server, ben, session)
    expect(await again.next('ended')).toMatchObject({ reason: 'join-denied' })
    expect(owner.messages.filter((one) => one.type === 'sharing' && one.asking.length > 0)).toHaveLength(1)
    await clock.advanceAsync(LIMITS.joining.deniedMinutes * 60_000)
    const later = await askingPage(server, ben, session)
    await later.next('asking')
  })

  it('is denied when nobody answers within a minute', async () => {
    const { page: owner, session } = await terminal()
    const guest = await askingPage(server, ben, session)
    const id = await nextAsking(owner)
    await clock.advanceAsync(59_000)
    expect(guest.messages.some(({ type }) => type === 'ended')).toBe(false)
    await clock.advanceAsync(1_000)
    expect(await guest.next('ended')).toMatchObject({ reason: 'join-expired' })
    owner.say({ type: 'admit', guest: id })
    const again = await askingPage(server, ben, session)
    await again.next('asking')
    expect(guest.messages.some(({ type }) => type === 'joined')).toBe(false)
  })

  it('is withdrawn when the asking page goes away', async () => {
    const { page: owner, session } = await terminal()
    const guest = await askingPage(server, ben, session)
    const id = await nextAsking(owner)
    guest.socket.terminate()
    await until(async () => (await owner.next('sharing')).asking.length === 0)
    owner.say({ type: 'admit', guest: id })
    await until(async () => (await events(session)).length === 2)
    expect((await events(session)).at(-1)).toMatchObject({ type: 'join-denied', data: { reason: 'join-left' } })
  })

  it('lets nobody type before the answer', async () => {
    const { page: owner, session, input } = await terminal()
    const guest = await askingPage(server, ben, session)
    await nextAsking(owner)
    guest.data(0, 'early')
    await once(guest.socket, 'close')
    await until(async () => (await owner.next('sharing')).asking.length === 0)
    expect(input()).toBe('')
  })

  it('shows the screen of the owner and the output since, without a gap', async () => {
    const { page: owner, session, write } = await terminal()
    write('12345')
    await until(() => owner.output().toString().endsWith('12345'))
    const shown = owner.received() - 3
    owner.say({ type: 'resize', columns: 100, rows: 30 })
    // The page has confirmed everything: what it says is still to be shown is not kept, and left out.
    const first = await askingPage(server, ben, session)
    await admitNext(owner, '<screen>', owner.received())
    expect(await first.next('joined')).toMatchObject({ columns: 100, rows: 30 })
    write('67890')
    await until(() => first.output().toString() === '<screen>67890')
    expect(shown).toBeGreaterThan(0)
    owner.say({ type: 'resize', columns: 90, rows: 20 })
    expect(await first.next('size')).toEqual({ type: 'size', columns: 90, rows: 20 })
  })

  it('sends what the owner’s page has not shown yet after its screen', async () => {
    const hand = byHand()
    const { device } = await fakeDevice(server, ada, hand.behave)
    const { page: owner, session } = await readyPage(server, ada, device.uid, { takes: false })
    const stream = await hand.process
    stream.write(Buffer.from('12345'))
    await until(() => owner.output().toString().endsWith('12345'))
    const guest = await askingPage(server, ben, session)
    await admitNext(owner, '<12>', owner.received() - 3)
    await until(() => guest.output().length >= 7)
    expect(guest.output().toString()).toBe('<12>345')
  })
})

describe('who may join a terminal', () => {
  it('is a member of any role that may open one', async () => {
    const { page: owner, session, input } = await terminal()
    const { page: guest } = await joined(owner, session, cleo)
    guest.data(0, 'hello')
    await until(() => input().length === 5)
    expect(input()).toBe('hello')
  })

  it('is nobody of another namespace, without a sign-in, or with an API key', async () => {
    const { session } = await terminal()
    expect(await ask(eve, session)).toBe('404 NOT_FOUND')
    const params = { uid: uidOf(session) }
    expect(await outcome(server.client().call(operations.sessions.join, { params }))).toBe('401 UNAUTHORIZED')
    const { body } = await ada.client.call(operations.apiKeys.create, {
      body: { name: 'robot', role: 'administrator', expires_at: 30 },
    })
    const headers = { 'X-API-Key': body.id }
    const answer = await server.fetch(`/api/sessions/${session}/join`, { method: 'POST', headers })
    expect(answer.status).toBe(403)
  })

  it('is nobody with a ticket for another terminal, a used one, or one of a terminal itself', async () => {
    const { page: owner, session, device } = await terminal()
    const guest = await askingPage(server, ben, session)
    await nextAsking(owner)
    const { body } = await ben.client.call(operations.terminals.open, {
      params: { uid: device.uid },
      body: { username: 'root' },
    })
    const other = await openPage(server)
    other.say({ type: 'join', ticket: body.ticket })
    expect(await other.next('ended')).toMatchObject({ reason: 'ticket' })
    const { body: join } = await ben.client.call(operations.sessions.join, { params: { uid: uidOf(session) } })
    const wrong = await openPage(server)
    wrong.say({ type: 'hello', ticket: join.ticket, term: 'xterm', columns: 80, rows: 24 })
    expect(await wrong.next('ended')).toMatchObject({ reason: 'ticket' })
    guest.say({ type: 'bye' })
  })

  it('is nobody whom a firewall rule refuses, by address, account or person', async () => {
    const { page: owner, session } = await terminal()
    const base = { action: 'deny' as const, active: true, priority: 1, filter: { hostname: '.*' } }
    const rule = await ada.client.call(operations.firewall.create, {
      body: { ...base, source_ip: '^198\\.51\\.100\\.7$', username: '.*' },
    })
    const barred = await askingPage(server, ben, session, { from: '198.51.100.7' })
    expect(await barred.next('ended')).toMatchObject({ by: 'policy', reason: 'firewall' })
    const welcome = await askingPage(server, ben, session, { from: '198.51.100.8' })
    await welcome.next('asking')
    expect(await nextAsking(owner)).not.toBe('')
    await ada.client.call(operations.firewall.remove, { params: { id: rule.body.id } })
  })

  it('is judged again when the person consents', async () => {
    const { page: owner, session } = await terminal()
    const guest = await askingPage(server, ben, session)
    const id = await nextAsking(owner)
    const rule = await ada.client.call(operations.firewall.create, {
      body: {
        action: 'deny',
        active: true,
        priority: 1,
        source_ip: '.*',
        username: '.*',
        filter: { hostname: '.*' },
        people: [ben.id],
      },
    })
    owner.say({ type: 'admit', guest: id })
    expect(await guest.next('ended')).toMatchObject({ by: 'policy' })
    expect(guest.messages.some(({ type }) => type === 'joined')).toBe(false)
    await ada.client.call(operations.firewall.remove, { params: { id: rule.body.id } })
  })

  it('refuses sessions of ssh clients, ended ones, and terminals that a program has opened', async () => {
    const device = await fakeDevice(server, ada)
    const client = await signedIn(server, device.login('root'))
    const row = await until(async () => {
      const { body } = await ada.client.call(operations.sessions.list, { query: {} })
      return body.find((one) => one.device_uid === device.device.uid && one.active)
    })
    expect(await ask(ben, row.uid)).toBe('409 SESSION_NOT_JOINABLE')
    client.socket.destroy()
    const { page: owner, session } = await terminal()
    owner.say({ type: 'bye' })
    await until(async () => (await ask(ben, session)) === '409 SESSION_NOT_JOINABLE')
  })
})

describe('the end of joining', () => {
  it('comes at once when the person in the terminal removes somebody', async () => {
    const { page: owner, session, input, write } = await terminal()
    const { page: guest, guest: id, token } = await joined(owner, session)
    owner.say({ type: 'remove', guest: id })
    expect(await guest.next('ended')).toMatchObject({ by: 'user', reason: 'join-removed' })
    await once(guest.socket, 'close')
    const again = await resumedPage(server, token, guest.output())
    expect(await again.next('ended')).toMatchObject({ reason: 'not-resumable' })
    again.data(0, 'and now?')
    write('not for guests')
    owner.data(0, 'gone')
    await until(() => input() === 'gone')
    await until(() => owner.output().toString().endsWith('not for guests'))
    expect(Buffer.concat([guest.output(), again.output()]).toString()).toBe('')
    await until(async () => (await audited(session)).at(-1)?.action === 'session.join-remove')
  })

  it('comes with the end of the session, in which the guest decides nothing', async () => {
    const { page: owner, session } = await terminal()
    const { page: guest, guest: id } = await joined(owner, session)
    const { page: third } = await joined(owner, session, cleo)
    guest.say({ type: 'remove', guest: id })
    await once(guest.socket, 'close')
    third.say({ type: 'resize', columns: 10, rows: 5 })
    owner.say({ type: 'bye' })
    expect(await third.next('ended')).toMatchObject({ reason: 'join-over' })
  })

  it('comes when a rule, the membership or the sign-in no longer allows it', async () => {
    const { page: owner, session } = await terminal()
    const { page: guest } = await joined(owner, session, ben, { from: '198.51.100.9' })
    const rule = await ada.client.call(operations.firewall.create, {
      body: {
        action: 'deny',
        active: true,
        priority: 1,
        source_ip: '^198',
        username: '.*',
        filter: { hostname: '.*' },
      },
    })
    expect(await guest.next('ended')).toMatchObject({ by: 'policy', reason: 'firewall' })
    await ada.client.call(operations.firewall.remove, { params: { id: rule.body.id } })

    const dan = await memberOf(server, ada, 'dan', 'administrator')
    const { page: second } = await joined(owner, session, dan)
    await ada.client.call(operations.members.remove, { params: { tenant: ada.tenant, uid: dan.id } })
    expect(await second.next('ended')).toMatchObject({ by: 'policy', reason: 'member-removed' })

    const finn = await memberOf(server, ada, 'finn', 'operator')
    const { page: third } = await joined(owner, session, finn)
    await finn.client.call(operations.auth.deleteSession, {})
    await clock.advanceAsync(5_000)
    expect(await third.next('ended')).toMatchObject({ by: 'policy', reason: 'signed-out' })
    expect(owner.messages.some(({ type }) => type === 'ended')).toBe(false)
  })

  it('drops what has not reached a device that reads nothing, before which the owner’s keys do not wait long', async () => {
    let taken = 0
    let input = ''
    const { promise: process, resolve } = Promise.withResolvers<LinkStream>()
    const { device } = await fakeDevice(server, ada, (kind, _, stream) => {
      if (kind === 'auth') return judging(stream)
      stream.control({ type: 'started', quiet: true })
      resolve(stream)
      return {
        data(bytes) {
          input += Buffer.from(bytes).toString()
          taken += bytes.length
        },
        closed: () => undefined,
      }
    })
    const { page: owner, session } = await readyPage(server, ada, device.uid)
    const stream = await process
    const { page: guest, guest: id } = await joined(owner, session)
    let returned = 0
    const reads = (text: string) =>
      until(() => {
        if (taken > returned) stream.consumed(taken - returned)
        returned = taken
        return input.includes(text)
      })
    let sent = 0
    const fill = () => {
      for (; sent + 20_000 - guest.taken() <= TERMINAL.inputWindowBytes; sent += 20_000) {
        guest.data(sent, 'g'.repeat(20_000))
      }
      // The link has taken what it may.
      return guest.taken() > LINK_DEFAULTS.windowBytes - 40_000
    }
    await until(fill)
    fill()
    owner.data(0, 'stop')
    owner.say({ type: 'remove', guest: id })
    await guest.next('ended')
    await reads('stop')
    expect(sent).toBeGreaterThan(LINK_DEFAULTS.windowBytes + 200_000)
    expect(input.indexOf('stop')).toBeLessThan(LINK_DEFAULTS.windowBytes + 40_000)
    expect(input.endsWith('stop')).toBe(true)
  })

  it('comes when the namespace switches joining off, after which nobody is asked', async () => {
    const { page: owner, session } = await terminal()
    const { page: guest } = await joined(owner, session)
    const set = (joining: boolean) =>
      ada.client.call(operations.namespaces.update, { params: { tenant: ada.tenant }, body: { settings: { joining } } })
    await set(false)
    expect(await guest.next('ended')).toMatchObject({ by: 'policy', reason: 'join-off' })
    const later = await askingPage(server, cleo, session)
    expect(await later.next('ended')).toMatchObject({ by: 'policy', reason: 'join-off' })
    await set(true)
    expect(owner.messages.some(({ type }) => type === 'ended')).toBe(false)
  })

  it('leaves the owner alone when a guest reads too slowly', async () => {
    const { page: owner, session, process } = await terminal()
    const { page: guest } = await joined(owner, session, ben, { takes: false })
    const closed = once(guest.socket, 'close')
    const stream = await process
    const total = 8 * 1024 * 1024
    for (let sent = 0; sent < total; sent += 65_536) stream.write(Buffer.alloc(65_536, 'x'))
    await until(() => owner.received() >= total)
    await until(async () => (await events(session)).some(({ type }) => type === 'join-end'))
    expect((await events(session)).at(-1)).toMatchObject({ data: { by: 'ben', reason: 'join-slow' } })
    await closed
    expect(guest.messages.at(-1)).toMatchObject({ type: 'ended', reason: 'join-slow' })
    expect(owner.messages.some(({ type }) => type === 'ended')).toBe(false)
  })

  it('does not come with a dropped connection, which resumes; what is typed while the owner is away is dropped', async () => {
    const { page: owner, session, token: ownToken, input, write } = await terminal()
    const { page: guest, token } = await joined(owner, session)
    write('before')
    await until(() => guest.output().toString() === 'before')
    guest.socket.terminate()
    write(' after')
    const back = await resumedPage(server, token, guest.output())
    await until(() => back.output().toString() === 'before after')

    owner.socket.terminate()
    await until(async () => (await back.next('sharing')).paused)
    back.data(0, 'unseen')
    await until(() => back.taken() === 6)
    const home = await resumedPage(server, ownToken, owner.output())
    await until(async () => !(await back.next('sharing')).paused)
    expect((await home.next('sharing')).joined).toMatchObject([{ name: 'ben' }])
    back.data(6, 'seen')
    await until(() => input() === 'seen')
  })
})

describe('limits of joining', () => {
  it('lets so many people in, asks one at a time for each, and so often only', async () => {
    const { page: owner, session } = await terminal()
    const people = [ben, cleo]
    for (const name of ['gil', 'hal', 'ida']) people.push(await memberOf(server, ada, name, 'observer'))
    for (const person of people.slice(0, LIMITS.joining.guests)) await joined(owner, session, person)
    const last = await askingPage(server, people.at(-1) ?? ben, session)
    await admitNext(owner)
    expect(await last.next('ended')).toMatchObject({ reason: 'join-full' })

    const { page: other, session: elsewhere } = await terminal()
    const first = await askingPage(server, ben, elsewhere)
    await nextAsking(other)
    const twice = await askingPage(server, ben, elsewhere)
    expect(await twice.next('ended')).toMatchObject({ reason: 'join-limit' })
    first.say({ type: 'bye' })
    const third = await askingPage(server, ben, elsewhere)
    await third.next('asking')
    third.say({ type: 'bye' })
    const fourth = await askingPage(server, ben, elsewhere)
    expect(await fourth.next('ended')).toMatchObject({ reason: 'join-limit' })
    const calls = await Promise.all(Array.from({ length: 12 }, () => ask(ben, elsewhere)))
    expect(calls).toContain('429 TOO_MANY_REQUESTS')
  })
})
