// Mails handed to a real mail server: encryption, certificates, authentication and every kind of answer.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TlsMaterial, selfSignedCertificate } from '../platform/network/certificate.ts'
import type { SmtpSettings } from './settings.ts'
import { type TestSmtp, startSmtp } from './testing/smtp.ts'
import { type OutgoingMail, createSmtpTransport } from './transport.ts'

let folder: string
let tls: TlsMaterial
let otherTls: TlsMaterial
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-smtp-'))
  tls = await selfSignedCertificate(join(folder, 'one'), ['127.0.0.1'])
  otherTls = await selfSignedCertificate(join(folder, 'other'), ['mail.example.com'])
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function smtp(...options: Parameters<typeof startSmtp>): Promise<TestSmtp> {
  const server = await startSmtp(...options)
  closing.push(() => server.close())
  return server
}

function settingsOf(port: number, changes: Partial<SmtpSettings> = {}): SmtpSettings {
  return {
    host: '127.0.0.1',
    port,
    implicitTls: false,
    startTls: 'off',
    credentials: undefined,
    ca: undefined,
    name: 'bowline.example.com',
    from: 'Bowline <bowline@example.com>',
    replyTo: undefined,
    ...changes,
  }
}

const MAIL: OutgoingMail = {
  to: 'ada@example.com',
  id: 'one',
  domain: 'bowline.example.com',
  date: new Date('2026-11-23T04:17:00Z'),
  subject: 'Grüße',
  text: 'Text\n',
  html: '<p>Text</p>',
}
const send = (port: number, changes: Partial<SmtpSettings> = {}, limits?: { replyMs: number; attemptMs: number }) =>
  createSmtpTransport(settingsOf(port, changes), limits).send(MAIL)

describe('a mail that is taken', () => {
  it('carries envelope, headers and both parts', async () => {
    const server = await smtp()
    const answer = await send(server.port, { replyTo: 'help@example.com' })
    expect(answer).toMatchObject({ outcome: 'accepted', code: 250, isFinal: false })
    const [mail] = await server.received(1)
    expect(mail).toMatchObject({
      from: 'bowline@example.com',
      to: ['ada@example.com'],
      name: 'bowline.example.com',
      wasEncrypted: false,
      user: '',
    })
    expect(mail?.parsed).toMatchObject({
      subject: 'Grüße',
      messageId: '<one@bowline.example.com>',
      html: '<p>Text</p>',
    })
    expect(mail?.parsed.text).toBe('Text\n')
    expect(mail?.parsed.from?.text).toBe('"Bowline" <bowline@example.com>')
    expect(mail?.parsed.replyTo?.text).toBe('help@example.com')
    expect(mail?.parsed.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail?.parsed.date).toEqual(MAIL.date)
  })

  it('travels encrypted after STARTTLS with the certificate of a private authority', async () => {
    const server = await smtp({ ...tls })
    const answer = await send(server.port, { startTls: 'required', ca: tls.cert })
    expect(answer).toMatchObject({ outcome: 'accepted' })
    expect(server.mails).toMatchObject([{ wasEncrypted: true }])
  })

  it('travels encrypted from the first byte with smtps', async () => {
    const server = await smtp({ ...tls, secure: true })
    expect(await send(server.port, { implicitTls: true, ca: tls.cert })).toMatchObject({ outcome: 'accepted' })
    expect(server.mails).toMatchObject([{ wasEncrypted: true }])
  })

  it.each([
    ['opportunistic', true, true],
    ['opportunistic', false, false],
    ['off', true, false],
  ] as const)(
    'with STARTTLS %s and a server that offers it: %s, is encrypted: %s',
    async (startTls, offers, encrypted) => {
      const server = await smtp(offers ? { ...tls } : {})
      expect(await send(server.port, { startTls, ca: tls.cert })).toMatchObject({ outcome: 'accepted' })
      expect(server.mails).toMatchObject([{ wasEncrypted: encrypted }])
    },
  )

  it('is sent as the user of the settings', async () => {
    const server = await smtp({
      ...tls,
      authOptional: false,
      onAuth: ({ username = '', password }, _, callback) =>
        callback(password === 'p@ss word' ? null : new Error('wrong'), { user: username }),
    })
    const credentials = { user: 'bowline', password: 'p@ss word' }
    expect(await send(server.port, { startTls: 'required', ca: tls.cert, credentials })).toMatchObject({
      outcome: 'accepted',
    })
    expect(server.mails).toMatchObject([{ user: 'bowline', wasEncrypted: true }])
  })
})

describe('a mail that is not taken', () => {
  it('stays here when STARTTLS is required and the server has none', async () => {
    const server = await smtp()
    expect(await send(server.port, { startTls: 'required' })).toMatchObject({ outcome: 'tls', isFinal: false })
    expect(server.attempts()).toBe(0)
  })

  it.each([
    ['an authority that nobody knows', () => ({ tls, ca: undefined })],
    ['another authority', () => ({ tls, ca: otherTls.cert })],
    ['a certificate for another name', () => ({ tls: otherTls, ca: otherTls.cert })],
  ])('stays here because of %s', async (_, made) => {
    const { tls: material, ca } = made()
    const server = await smtp({ ...material })
    for (const startTls of ['required', 'opportunistic'] as const) {
      expect(await send(server.port, { startTls, ca })).toMatchObject({ outcome: 'tls', isFinal: false })
    }
    const implicit = await smtp({ ...material, secure: true })
    expect(await send(implicit.port, { implicitTls: true, ca })).toMatchObject({ outcome: 'tls', isFinal: false })
    expect([server.attempts(), implicit.attempts()]).toEqual([0, 0])
  })

  it('waits when the password is refused, and the answer does not repeat it', async () => {
    const server = await smtp({
      ...tls,
      authOptional: false,
      onAuth: ({ password }, _, callback) =>
        callback(
          Object.assign(new Error(`no: ${password} ${Buffer.from(String(password)).toString('base64')}`), {
            responseCode: 535,
          }),
        ),
    })
    const credentials = { user: 'bowline', password: 'Tr0ub4dor' }
    const answer = await send(server.port, { startTls: 'required', ca: tls.cert, credentials })
    expect(answer).toEqual({ outcome: 'refused', code: 535, text: '535 no: [secret] [secret]', isFinal: false })
  })

  it('waits after a 4xx and is given up after a 5xx', async () => {
    const server = await smtp()
    server.refuse([451, 'greylisted'], [554, 'no spam here'])
    expect(await send(server.port)).toEqual({ outcome: 'refused', code: 451, text: '451 greylisted', isFinal: false })
    expect(await send(server.port)).toEqual({ outcome: 'refused', code: 554, text: '554 no spam here', isFinal: true })
    expect(await send(server.port)).toMatchObject({ outcome: 'accepted' })
  })

  it('is given up when the recipient is refused', async () => {
    const server = await smtp({
      onRcptTo: (_, __, callback) => callback(Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 })),
    })
    expect(await send(server.port)).toMatchObject({ code: 550, text: '550 5.1.1 no such user', isFinal: true })
  })

  it('waits when the server wants authentication that is not set', async () => {
    const server = await smtp({
      ...tls,
      authOptional: false,
      onAuth: (_, __, callback) => callback(null, { user: 'x' }),
    })
    const answer = await send(server.port, { startTls: 'required', ca: tls.cert })
    expect(answer).toMatchObject({ outcome: 'refused', code: 530, isFinal: false })
  })

  it('waits when nothing listens', async () => {
    const server = await smtp()
    await server.close()
    expect(await send(server.port)).toMatchObject({ outcome: 'unreachable', code: 0, isFinal: false })
  })
})

describe('a server that is no proper mail server', () => {
  /** Answers every connection by a script. */
  async function odd(script: (write: (text: string) => void, nth: number, received: string) => void): Promise<number> {
    const server: Server = createServer((socket) => {
      let nth = 0
      socket.on('error', () => undefined)
      script((text) => socket.write(text), nth, '')
      socket.on('data', (bytes) => {
        nth += 1
        script((text) => (text === 'CUT' ? socket.destroy() : socket.write(text)), nth, bytes.toString())
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    return (server.address() as AddressInfo).port
  }

  it('reveals nothing of its answer but that it is none', async () => {
    const port = await odd((write, nth) => nth === 0 && write('HTTP/1.1 400 Bad Request\r\nSecret: 1\r\n\r\n'))
    const answer = await send(port, {}, { replyMs: 1_000, attemptMs: 5_000 })
    expect(answer).toEqual({ outcome: 'protocol', code: 0, text: 'The server does not speak SMTP.', isFinal: false })
  })

  it('ends an attempt in time that never gets an answer', async () => {
    const port = await odd(() => undefined)
    expect(await send(port, {}, { replyMs: 20, attemptMs: 5_000 })).toMatchObject({
      outcome: 'timeout',
      isFinal: false,
    })
  })

  it('ends an attempt in time that gets a little of an answer again and again', async () => {
    const port = await odd((write, nth) => {
      if (nth > 0) return
      const dripping = setInterval(() => write('220-still here\r\n'), 10)
      closing.push(async () => clearInterval(dripping))
    })
    expect(await send(port, {}, { replyMs: 60_000, attemptMs: 200 })).toMatchObject({ outcome: 'timeout' })
  })

  it('waits when the connection breaks after the data was sent', async () => {
    const port = await odd((write, nth, received) => {
      if (nth === 0) write('220 hello\r\n')
      else if (/^(EHLO|MAIL|RCPT)/.test(received)) write('250 ok\r\n')
      else if (received.startsWith('DATA')) write('354 go on\r\n')
      else write('CUT')
    })
    expect(await send(port)).toMatchObject({ outcome: 'unreachable', code: 0, isFinal: false })
  })

  it('shortens answers to 500 characters on one line', async () => {
    const port = await odd((write, nth) => nth === 0 && write(`554-${'x'.repeat(400)}\r\n554 ${'y'.repeat(400)}\r\n`))
    const { text, isFinal } = await send(port)
    expect(text).toMatch(/^554-x{400} 554 y+$/)
    expect([text.length, isFinal]).toEqual([500, false])
  })
})

it('checks the certificate against the name of a host whose address was resolved before', async () => {
  const server = await smtp({ ...otherTls })
  const settings = settingsOf(server.port, { host: 'mail.example.com', startTls: 'required', ca: otherTls.cert })
  const limits = { replyMs: 10_000, attemptMs: 20_000 }
  expect(await createSmtpTransport(settings, limits, '127.0.0.1').send(MAIL)).toMatchObject({ outcome: 'accepted' })
  expect(server.mails).toMatchObject([{ wasEncrypted: true }])
})

it('signs in and sends nothing to verify the settings', async () => {
  const server = await smtp({ ...tls, onAuth: (_, __, callback) => callback(null, { user: 'x' }) })
  const credentials = { user: 'bowline', password: 'x' }
  const right = settingsOf(server.port, { startTls: 'required', ca: tls.cert, credentials })
  expect(await createSmtpTransport(right).verify()).toMatchObject({ outcome: 'accepted' })
  expect(await createSmtpTransport({ ...right, ca: undefined }).verify()).toMatchObject({ outcome: 'tls' })
  expect(server.attempts()).toBe(0)
})
