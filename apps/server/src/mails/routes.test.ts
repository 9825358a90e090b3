// Mail over HTTP, as an administrator of the instance uses it.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { createMailQueue } from './queue.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { randomIds } from '../platform/ids.ts'
import { systemClock } from '@bowline/base/clock'
import { type TestSmtp, startSmtp } from './testing/smtp.ts'

const { mails } = operations
let smtp: TestSmtp
let other: TestSmtp
let server: BootedServer
let bare: BootedServer
let admin: Person
let bareAdmin: Person
beforeAll(async () => {
  smtp = await startSmtp()
  other = await startSmtp()
  server = await bootServer({
    settings: {
      BOWLINE_DOMAIN: 'bowline.example.com',
      BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
      BOWLINE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      BOWLINE_SMTP_STARTTLS: 'off',
      BOWLINE_SMTP_FROM: 'Bowline <bowline@example.com>',
    },
  })
  bare = await bootServer()
  admin = await server.setUpAccount()
  bareAdmin = await bare.setUpAccount()
})
afterAll(async () => {
  await Promise.all([server, bare, smtp, other].map((one) => one.close()))
})
beforeEach(() => {
  smtp.mails.length = 0
})
afterEach(async () => {
  for (const one of [server, bare]) await one.database.system().deleteFrom('mails').execute()
})

const queueOf = (on: BootedServer) =>
  createMailQueue({
    clock: systemClock,
    ids: randomIds,
    secretKey: new SecretKey(on.secretKey),
    publicOrigin: () => 'https://bowline.example.com',
    isSending: true,
  })
const write = (on: BootedServer, to: string) =>
  queueOf(on).add(on.database.system(), {
    kind: 'recover',
    to,
    user: undefined,
    source: '',
    values: { name: 'Ada', link: 'https://bowline.example.com/update-password?token=x', hours: 24 },
  })

describe('the outbox', () => {
  it('sends what a transaction wrote, and lists it by state', async () => {
    await write(server, 'ada@example.com')
    await smtp.received(1)
    const sent = await until(async () => {
      const { body } = await admin.client.call(mails.list, { query: { state: 'sent' } })
      return body[0]
    })
    expect(sent).toMatchObject({
      recipient: 'ada@example.com',
      kind: 'recover',
      state: 'sent',
      attempts: 1,
      has_link: false,
    })
    expect((await admin.client.call(mails.list, { query: { state: 'failed' } })).total).toBe(0)
    expect((await admin.client.call(mails.list, { query: { state: 'queued' } })).total).toBe(0)
  })

  it('sends a failed mail once more when it is asked to', async () => {
    smtp.refuse([550, 'no such user'])
    await write(server, 'ada@example.com')
    const failed = await until(async () => {
      const { body } = await admin.client.call(mails.list, { query: { state: 'failed' } })
      return body[0]
    })
    expect(failed.answer).toBe('550 no such user')
    const again = () => outcome(admin.client.call(mails.resend, { params: { id: failed.id } }))
    expect(await again()).toBe('200')
    await smtp.received(1)
    await until(async () => (await admin.client.call(mails.list, { query: { state: 'sent' } })).total === 1)
    expect(await again()).toBe('404 NOT_FOUND')
    expect(await outcome(admin.client.call(mails.resend, { params: { id: randomUUID() } }))).toBe('404 NOT_FOUND')
    expect(await outcome(admin.client.call(mails.resend, { params: { id: 'x' } }))).toBe('404 NOT_FOUND')
  })

  it('links to the port that the server listens on where no address is set', async () => {
    const { links_to: origin } = (await bareAdmin.client.call(mails.settings, {})).body
    expect(origin).toBe(`http://localhost:${new URL(bare.origin).port}`)
  })

  it('shows links while no mail server is set', async () => {
    await write(bare, 'ada@example.com')
    const { body, total } = await bareAdmin.client.call(mails.list, {})
    expect(total).toBe(1)
    expect(body[0]).toMatchObject({ state: 'queued', attempts: 0, answer: '', has_link: true })
    const params = { id: body[0]?.id ?? '' }
    const { link } = (await bareAdmin.client.call(mails.link, { params })).body
    expect(link).toBe('https://bowline.example.com/update-password?token=x')
    expect(JSON.stringify(body)).not.toContain('token=')
    expect(await outcome(bareAdmin.client.call(mails.link, { params: { id: randomUUID() } }))).toBe('404 NOT_FOUND')
  })

  it('is open to administrators of the instance only', async () => {
    const person = await server.addPerson('somebody')
    await server.addMember(admin.tenant, person.id, 'administrator')
    for (const call of [
      () => person.client.call(mails.list, {}),
      () => person.client.call(mails.settings, {}),
      () => person.client.call(mails.templates, {}),
      () => person.client.call(mails.test, { body: { to: 'a@example.com' } }),
      () => person.client.call(mails.link, { params: { id: randomUUID() } }),
      () => person.client.call(mails.resend, { params: { id: randomUUID() } }),
    ]) {
      expect(await outcome(call())).toBe('403 INSTANCE_ADMIN_REQUIRED')
    }
  })
})

describe('a test mail', () => {
  const test = (person: Person, body: object = {}) =>
    person.client.call(mails.test, { body: { to: 'Grace@Example.com', ...body } })

  it('goes through the mail server of the settings', async () => {
    const { body } = await test(admin)
    expect(body).toEqual({ outcome: 'accepted', code: 250, text: expect.stringMatching(/^250 /) as string })
    const [mail] = await smtp.received(1)
    expect(mail).toMatchObject({ to: ['grace@example.com'], from: 'bowline@example.com' })
    expect(mail?.parsed.subject).toBe('Test mail')
    expect(mail?.parsed.text).toContain('at bowline.example.com:\nhttps://bowline.example.com\n')
  })

  it('reports the answer of the mail server', async () => {
    smtp.refuse([554, 'no spam here'])
    expect((await test(admin)).body).toEqual({ outcome: 'refused', code: 554, text: '554 no spam here' })
  })

  it('uses values that are not saved, at the server of the settings', async () => {
    const url = `smtp://127.0.0.1:${smtp.port}`
    const encrypted = await test(admin, { url, starttls: 'required' })
    expect(encrypted.body).toMatchObject({ outcome: 'tls' })
    await test(admin, { url, starttls: 'off', from: 'Other <other@example.com>', name: 'out.example.com' })
    expect(await smtp.received(1)).toMatchObject([{ from: 'other@example.com', name: 'out.example.com' }])
  })

  it.each([
    ['its own machine', () => `smtp://127.0.0.1:${other.port}`],
    ['its own machine by name', () => `smtp://localhost:${other.port}`],
    ['its own machine in IPv6', () => `smtp://[::1]:${other.port}`],
    ['its own machine, mapped', () => `smtp://[::ffff:127.0.0.1]:${other.port}`],
    ['metadata of a cloud', () => 'smtp://169.254.169.254:80'],
    ['a number', () => `smtp://2130706433:${other.port}`],
  ])('does not reach %s', async (_, url) => {
    expect(await outcome(test(admin, { url: url(), starttls: 'off' }))).toBe('400 INVALID_INPUT url')
    expect(other.attempts()).toBe(0)
  })

  it('needs an address of a mail server and a sender where none is set', async () => {
    expect(await outcome(test(bareAdmin))).toBe('400 INVALID_INPUT url')
    expect(await outcome(test(bareAdmin, { url: 'smtp://192.0.2.1' }))).toBe('400 INVALID_INPUT from')
    const values = { url: 'smtp://192.168.0.1', from: 'a@example.com', ca: 'no certificate' }
    expect(await outcome(test(bareAdmin, values))).toBe('400 INVALID_INPUT ca')
  })

  it('needs a second factor used lately by people who have one', async () => {
    const person = await server.addPerson('careful')
    const users = server.database.system().updateTable('users').where('id', '=', person.id)
    await users.set({ is_instance_admin: true, mfa_enabled: true }).execute()
    expect(await outcome(test(person))).toBe('403 FRESH_PROOF_REQUIRED')
  })

  it('has a budget', async () => {
    const person = await server.addPerson('eager')
    await server.database
      .system()
      .updateTable('users')
      .set({ is_instance_admin: true })
      .where('id', '=', person.id)
      .execute()
    const outcomes: string[] = []
    for (let nth = 0; nth < 25; nth += 1) outcomes.push(await outcome(test(person, { url: 'smtp://127.0.0.2' })))
    expect([...new Set(outcomes)]).toEqual(['400 INVALID_INPUT url', '429 TOO_MANY_REQUESTS'])
  })
})

describe('settings and texts', () => {
  it('describes the settings in effect without the password', async () => {
    expect((await admin.client.call(mails.settings, {})).body).toEqual({
      enabled: true,
      host: '127.0.0.1',
      port: smtp.port,
      implicit_tls: false,
      starttls: 'off',
      user: '',
      private_ca: false,
      from: 'Bowline <bowline@example.com>',
      reply_to: '',
      name: 'bowline.example.com',
      links_to: 'https://bowline.example.com',
      templates: '',
    })
    expect((await bareAdmin.client.call(mails.settings, {})).body).toMatchObject({ enabled: false, host: '' })
  })

  it('shows every mail with links to the public address, whatever the request says', async () => {
    const headers = {
      authorization: `Bearer ${admin.auth.token}`,
      'x-forwarded-host': 'evil.example.com',
      forwarded: 'host=evil.example.com',
      'x-original-host': 'evil.example.com',
    }
    const text = await (await server.fetch('/api/mails/templates', { headers })).text()
    expect(text).not.toContain('evil.example.com')
    const previews = JSON.parse(text) as { kind: string; event: string; text: string }[]
    expect(previews.map(({ kind, event }) => `${kind} ${event}`.trim())).toContain('notice new-device')
    expect(
      previews.every((preview) => preview.text.includes('at bowline.example.com:\nhttps://bowline.example.com/')),
    ).toBe(true)
  })

  it('counts mails in the metrics', async () => {
    await write(server, 'ada@example.com')
    await smtp.received(1)
    const metrics = async () => (await server.fetch('/metrics', { headers: server.nodeHeaders })).text()
    await until(async () => /^bowline_mails_sent_total [1-9]/m.test(await metrics()))
    expect(await metrics()).toMatch(/^bowline_mails_queued_total \d+$/m)
    expect(await metrics()).toMatch(/^bowline_mails_failed_total \d+$/m)
  })
})
