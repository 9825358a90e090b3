// Doors of tunnels with all kinds of visitors, on a whole server.
import { operations } from '@bowline/contract/operations'
import type { Tunnel } from '@bowline/contract/schemas/tunnel'
import { until } from '@bowline/testkit/until'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { databaseRates } from '../../budgets/rates.ts'
import { type FakeDevice, fakeDevice } from '../../testing/gateway.ts'
import {
  type Asked,
  TUNNEL_SETTINGS,
  ask,
  askEndless,
  httpService,
  openTunnel,
  tunnelDevice,
} from '../testing/device.ts'
import { GUESSES_OF_ALL } from './guesses.ts'

let clock: ManualClock
let server: BootedServer
let owner: Person
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ settings: { ...TUNNEL_SETTINGS, BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }, clock })
  owner = await server.setUpAccount()
})
afterAll(() => server.close())

const PAGE = { accept: 'text/html' }
let device: FakeDevice

async function guarded(options: { door: 'namespace' | 'password'; password?: string }): Promise<Tunnel> {
  device = await tunnelDevice(server, owner)
  return openTunnel(
    owner,
    device,
    await httpService((incoming, answer) => answer.end(`inside ${incoming.url}`)),
    options,
  )
}

const visit = (person: Person, { address }: Tunnel, path = '/') =>
  person.client.call(operations.tunnels.visit, { params: { address }, body: { path } })

/** Follows a one-use link. @returns status, cookie and where it leads */
async function enter({ full_address }: Tunnel, link: string, headers: Asked['headers'] = {}) {
  const { pathname, search } = new URL(link)
  const { status, headers: answered } = await ask(server, full_address, { path: pathname + search, headers })
  return { status, cookie: answered['set-cookie']?.[0]?.split(';')[0] ?? '', location: answered.location }
}

const inside = (tunnel: Tunnel, cookie: string, asked: Asked = {}) =>
  ask(server, tunnel.full_address, { ...asked, headers: { cookie, ...asked.headers } })

describe('the door of the namespace', () => {
  it('sends browsers to the console and refuses programs', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    const browser = await ask(server, tunnel.full_address, { path: '/a?b=1', headers: PAGE })
    expect(browser.status).toBe(303)
    expect(new URL(browser.headers.location ?? '').pathname).toBe(`/tunnels/${tunnel.address}`)
    expect(new URL(browser.headers.location ?? '').searchParams.get('path')).toBe('/a?b=1')
    const program = await ask(server, tunnel.full_address, { headers: { accept: 'application/json' } })
    expect([program.status, JSON.parse(program.text).code]).toEqual([401, 'TUNNEL_SIGN_IN'])
  })

  it('admits a member by a link that works once and for 60 seconds', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    const { body } = await visit(owner, tunnel, '/start?x=1')
    const first = await enter(tunnel, body.url)
    expect([first.status, first.location]).toEqual([303, '/start?x=1'])
    expect((await inside(tunnel, first.cookie, { path: '/page' })).text).toBe('inside /page')
    expect((await enter(tunnel, body.url)).status).toBe(403)
    const late = (await visit(owner, tunnel)).body.url
    clock.advance(60_000)
    expect((await enter(tunnel, late)).status).toBe(403)
  })

  it('keeps a pass to its own tunnel and refuses forged ones', async () => {
    const [one, other] = [await guarded({ door: 'namespace' }), await guarded({ door: 'namespace' })]
    const { cookie } = await enter(one, (await visit(owner, one)).body.url)
    expect((await inside(other, cookie)).status).toBe(401)
    expect((await enter(other, (await visit(owner, one)).body.url)).status).toBe(403)
    expect((await inside(one, `${cookie.slice(0, -2)}xx`)).status).toBe(401)
    expect((await inside(one, `${cookie}; ${cookie}`)).status).toBe(401)
    clock.advance(12 * 3_600_000)
    expect((await inside(one, cookie)).status).toBe(401)
  })

  it('has no links for people of other namespaces, whichever they are signed in to', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    const stranger = await server.addPerson('stranger')
    expect(await outcome(visit(stranger, tunnel))).toBe('404 NOT_FOUND')
    await server.addMember(owner.tenant, stranger.id, 'observer')
    const { cookie } = await enter(tunnel, (await visit(stranger, tunnel)).body.url)
    expect((await inside(tunnel, cookie)).status).toBe(200)
  })

  it('ends visits and what is under way when the membership ends', async () => {
    device = await tunnelDevice(server, owner)
    const port = await httpService((_, answer) => void answer.write('begun'))
    const tunnel = await openTunnel(owner, device, port, { door: 'namespace' })
    const leaver = await server.addPerson('leaver')
    await server.addMember(owner.tenant, leaver.id, 'operator')
    const { cookie } = await enter(tunnel, (await visit(leaver, tunnel)).body.url)
    const streaming = await askEndless(server, tunnel.full_address, { cookie })
    const params = { tenant: owner.tenant, uid: leaver.id }
    await owner.client.call(operations.members.remove, { params })
    clock.advance(5_000)
    expect(await streaming.ended).toBe('ECONNRESET')
    expect((await inside(tunnel, cookie)).status).toBe(401)
  })

  it('ends visits and what is under way with the sign-in at the console that they came from', async () => {
    device = await tunnelDevice(server, owner)
    const port = await httpService((_, answer) => void answer.write('begun'))
    const tunnel = await openTunnel(owner, device, port, { door: 'namespace' })
    const person = await server.addPerson('signs-out')
    await server.addMember(owner.tenant, person.id, 'operator')
    const { cookie } = await enter(tunnel, (await visit(person, tunnel)).body.url)
    const unused = (await visit(person, tunnel)).body.url
    const streaming = await askEndless(server, tunnel.full_address, { cookie })
    await person.client.call(operations.auth.deleteSession, {})
    clock.advance(5_000)
    expect(await streaming.ended).toBe('ECONNRESET')
    expect((await inside(tunnel, cookie)).status).toBe(401)
    expect((await enter(tunnel, unused)).status).toBe(403)
  })

  it('keeps pages of other origins out, other tunnels included', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    const { cookie } = await enter(tunnel, (await visit(owner, tunnel)).body.url)
    const status = async (headers: Record<string, string>, method = 'GET') =>
      (await inside(tunnel, cookie, { headers, method })).status
    expect(await status({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' }, 'POST')).toBe(403)
    expect(await status({ origin: 'http://other.tunnels.example' })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200)
    const framed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
    expect(await status({ 'sec-fetch-site': 'same-site', ...framed })).toBe(403)
    expect(await status({ 'sec-fetch-site': 'same-origin', ...framed })).toBe(200)
    expect(await status({ 'sec-fetch-site': 'same-origin', origin: 'null' }, 'POST')).toBe(200)
    expect(await status({ origin: `http://${tunnel.full_address}` })).toBe(200)
  })
})

describe('the door of a namespace whose logins need a second factor', () => {
  const setFactor = (person: Person, settings: object) =>
    person.client.call(operations.namespaces.update, { params: { tenant: person.tenant }, body: { settings } })
  afterEach(() => setFactor(owner, { ssh_second_factor: false }))

  it('asks for it, or for the password of people without one, once for the hours and the network', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    const before = await enter(tunnel, (await visit(owner, tunnel)).body.url)
    const link = (await visit(owner, tunnel)).body.url
    await setFactor(owner, { ssh_second_factor: true, ssh_second_factor_hours: 2 })
    expect((await inside(tunnel, before.cookie)).status).toBe(401)
    // Made before the namespace asked.
    expect((await enter(tunnel, link)).status).toBe(403)
    clock.advance(11 * 60_000)
    expect(await outcome(visit(owner, tunnel))).toBe('403 FRESH_PROOF_REQUIRED')
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
    const { cookie } = await enter(tunnel, (await visit(owner, tunnel)).body.url)
    expect((await inside(tunnel, cookie)).status).toBe(200)
    expect((await inside(tunnel, cookie, { headers: { 'x-forwarded-for': '198.51.100.9' } })).status).toBe(401)
    clock.advance(2 * 3_600_000)
    expect((await inside(tunnel, cookie)).status).toBe(401)
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
  })

  it('hands the time of the proof over to another network, and no visit by a link makes that later', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    await setFactor(owner, { ssh_second_factor: true, ssh_second_factor_hours: 2 })
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
    const elsewhere = { 'x-forwarded-for': '198.51.100.10' }
    const comeIn = async () => (await enter(tunnel, (await visit(owner, tunnel)).body.url, elsewhere)).cookie
    const windows = server.database.system().selectFrom('factor_windows').select('opened_at')
    const opened = async () =>
      (await windows.where('source', '=', '198.51.100.10').execute()).map((one) => one.opened_at)
    expect((await inside(tunnel, await comeIn(), { headers: elsewhere })).status).toBe(200)
    const first = await opened()
    clock.advance(90 * 60_000)
    const cookie = await comeIn()
    expect((await inside(tunnel, cookie, { headers: elsewhere })).status).toBe(200)
    expect(await opened()).toEqual(first)
    clock.advance(31 * 60_000)
    expect((await inside(tunnel, cookie, { headers: elsewhere })).status).toBe(401)
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
  })

  it('is made and changed after a recent proof only', async () => {
    const tunnel = await guarded({ door: 'namespace' })
    await setFactor(owner, { ssh_second_factor: true })
    clock.advance(11 * 60_000)
    const params = { uid: device.device.uid, address: tunnel.address }
    const change = () => outcome(owner.client.call(operations.tunnels.update, { params, body: { door: 'none' } }))
    expect([await outcome(openTunnel(owner, device, 81)), await change()]).toEqual(
      Array(2).fill('403 FRESH_PROOF_REQUIRED'),
    )
    await owner.client.call(operations.mfa.prove, { body: { current_password: owner.password } })
    expect([await outcome(openTunnel(owner, device, 81)), await change()]).toEqual(['200', '200'])
  })
})

describe('the door with a password', () => {
  const type = (tunnel: Tunnel, password: string, path = '/', headers = {}) =>
    ask(server, tunnel.full_address, {
      method: 'POST',
      path: '/.bowline/door',
      headers: { ...PAGE, 'content-type': 'application/x-www-form-urlencoded', origin: 'null', ...headers },
      body: new URLSearchParams({ password, path }).toString(),
    })

  it('shows a form, admits the right password and leads to the page that was asked for', async () => {
    const tunnel = await guarded({ door: 'password', password: 'open sesame' })
    const form = await ask(server, tunnel.full_address, { path: '/a"<b>', headers: PAGE })
    expect(form.status).toBe(401)
    expect(form.text).not.toContain('<b>')
    expect((await type(tunnel, 'wrong')).status).toBe(403)
    const right = await type(tunnel, 'open sesame', '/a?b=1')
    expect([right.status, right.headers.location]).toEqual([303, '/a?b=1'])
    const cookie = right.headers['set-cookie']?.[0] ?? ''
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax/)
    expect(cookie).not.toMatch(/domain/i)
    expect((await inside(tunnel, cookie.split(';')[0] ?? '')).text).toBe('inside /')
  })

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/.bowline/visit'])(
    'leads to no other place: %s',
    async (path) => {
      const tunnel = await guarded({ door: 'password', password: 'open sesame' })
      expect((await type(tunnel, 'open sesame', path)).headers.location).toBe('/')
    },
  )

  it('limits guesses, concurrent ones too, and never says whether the last one was right', async () => {
    const tunnel = await guarded({ door: 'password', password: 'open sesame' })
    const guesses = await Promise.all(Array.from({ length: 15 }, (_, i) => type(tunnel, `guess ${i}`)))
    expect(guesses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      ...Array<number>(10).fill(403),
      ...Array<number>(5).fill(429),
    ])
    expect((await type(tunnel, 'open sesame')).status).toBe(429)
    clock.advance(30_000)
    expect((await type(tunnel, 'open sesame')).status).toBe(303)
  })

  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('locks out no other network by the guesses of one, however many sources that has', async () => {
    const tunnel = await guarded({ door: 'password', password: 'open sesame' })
    const strangers = Array.from({ length: 120 }, (_, i) => from(`2001:470:1:${(i % 12).toString(16)}::1`))
    const guesses = await Promise.all(strangers.map((headers, i) => type(tunnel, `guess ${i}`, '/', headers)))
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(60)
    expect((await type(tunnel, 'open sesame', '/', from('2001:470:1:ffff::1'))).status).toBe(429)
    expect((await type(tunnel, 'open sesame', '/', from('192.0.2.77'))).status).toBe(303)
  })

  it('admits from where somebody has come in before, while guesses from everywhere lock strangers out', async () => {
    const tunnel = await guarded({ door: 'password', password: 'open sesame' })
    const known = from('192.0.2.77')
    expect((await type(tunnel, 'open sesame', '/', known)).status).toBe(303)
    const rates = databaseRates(server.database.system(), clock)
    while (await rates.take(GUESSES_OF_ALL, tunnel.address));
    expect((await type(tunnel, 'open sesame', '/', from('198.51.100.3'))).status).toBe(429)
    expect((await type(tunnel, 'open sesame', '/', known)).status).toBe(303)
    const params = { uid: device.device.uid, address: tunnel.address }
    await owner.client.call(operations.tunnels.update, { params, body: { password: 'another one' } })
    expect((await type(tunnel, 'another one', '/', known)).status).toBe(429)
  })

  it('ends visits with a new password, and with another door', async () => {
    const tunnel = await guarded({ door: 'password', password: 'open sesame' })
    const cookie = (await type(tunnel, 'open sesame')).headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const params = { uid: device.device.uid, address: tunnel.address }
    const change = (body: object) => owner.client.call(operations.tunnels.update, { params, body })
    await change({ password: 'another one' })
    expect((await inside(tunnel, cookie)).status).toBe(401)
    await change({ door: 'none' })
    expect((await ask(server, tunnel.full_address)).text).toBe('inside /')
  })

  it('requires a password with the door, and the door with a password', async () => {
    device = await tunnelDevice(server, owner)
    expect(await outcome(openTunnel(owner, device, 80, { door: 'password' }))).toBe('400 INVALID_INPUT password')
    expect(await outcome(openTunnel(owner, device, 80, { password: 'open sesame' }))).toBe('400 INVALID_INPUT password')
  })

  it('never reveals the password, neither to the API nor to the audit log', async () => {
    const tunnel = await guarded({ door: 'password', password: 'very secret words' })
    const params = { uid: device.device.uid }
    const listed = await owner.client.call(operations.tunnels.list, { params })
    const { body } = await owner.client.call(operations.audit.list, {})
    const text = JSON.stringify([listed.body, body])
    expect(text).toContain(tunnel.address)
    expect(text).not.toMatch(/very secret|argon2/)
  })
})

it('refuses tunnels to roles below administrator, and their requests', async () => {
  const tunnel = await guarded({ door: 'namespace' })
  const operator = await server.addPerson('operator')
  await server.addMember(owner.tenant, operator.id, 'operator')
  const { token } = (await operator.client.call(operations.auth.switchNamespace, { params: { tenant: owner.tenant } }))
    .body
  const { call } = server.client(token)
  const params = { uid: device.device.uid, address: tunnel.address }
  expect(await outcome(call(operations.tunnels.update, { params, body: { door: 'none' } }))).toBe('403 FORBIDDEN')
  expect(await outcome(call(operations.tunnels.requests, { params }))).toBe('403 FORBIDDEN')
  expect(await outcome(call(operations.tunnels.list, { params }))).toBe('200')
})

it('dials on the device only: a server’s own loopback is out of reach', async () => {
  // The device refuses every connection, and what the server could reach itself is open.
  const port = await httpService((_, answer) => answer.end('of the server'))
  const refusing = await fakeDevice(server, owner, () => ({ by: 'agent', reason: 'connect-failed', message: 'closed' }))
  const tunnel = await openTunnel(owner, refusing, port)
  const answer = await ask(server, tunnel.full_address)
  expect(answer.status).toBe(502)
  await until(() => refusing.asked.length === 1)
  expect(refusing.asked).toEqual([{ kind: 'http', header: { host: '127.0.0.1', port } }])
})
