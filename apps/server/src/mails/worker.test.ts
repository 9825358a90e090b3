// From the outbox to a real mail server: leases, retries, dead letters, limits and several processes.
import { randomBytes, randomUUID } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { randomIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type TestDatabase, testDatabase } from '../testing/database.ts'
import { KEPT_MS, MAX_ATTEMPTS, retryDelayMs } from './limits.ts'
import type { MailKind } from './kinds.ts'
import { addNotice } from './notices.ts'
import { type Mails, startMails } from './start.ts'
import { list, resend } from './service.ts'
import { insertMail, leaseMails, sweepMails } from './store.ts'
import { type TestSmtp, startSmtp } from './testing/smtp.ts'

const ORIGIN = 'https://bowline.example.com'
const HOUR_MS = 3_600_000
const secretKey = new SecretKey(randomBytes(32).toString('hex'))
let test: TestDatabase
let smtp: TestSmtp
let slow: Promise<void> | undefined
let clock: ManualClock
let logged: { ev: string; fields: unknown }[]
const endings: (() => Promise<void>)[] = []
beforeAll(async () => {
  test = await testDatabase()
  smtp = await startSmtp({}, () => slow ?? Promise.resolve())
})
afterAll(async () => {
  await smtp.close()
  await test.close()
})
beforeEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
  await system().deleteFrom('mails').execute()
  await system().deleteFrom('mail_counts').execute()
  smtp.mails.length = 0
  slow = undefined
  clock = new ManualClock()
  logged = []
})
afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const system = () => test.database.system()
const note = (ev: string, fields?: object) => void logged.push({ ev, fields })
const log: Log = { debug: () => undefined, info: note, warn: note, error: note, child: () => log }

async function start(node = 'node-1', port: number | undefined = smtp.port): Promise<Mails> {
  return startMails({
    system: system(),
    node,
    clock,
    log,
    ids: randomIds,
    secretKey,
    smtp:
      port === 0
        ? undefined
        : {
            host: '127.0.0.1',
            port,
            implicitTls: false,
            startTls: 'off',
            credentials: undefined,
            ca: undefined,
            name: 'bowline.example.com',
            from: 'bowline@example.com',
            replyTo: undefined,
          },
    origin: () => ORIGIN,
    templates: undefined,
    texts: new Map(),
    egress: { privateNetworks: true, allowed: () => false },
    isSending: true,
    onEnd: (ending) => void endings.push(ending),
  })
}

const recover = (to: string, source = '') => ({
  kind: 'recover' as const,
  to,
  user: undefined,
  source,
  values: { name: 'Ada', link: `${ORIGIN}/update-password?token=secret`, hours: 24 },
})
const rows = () => system().selectFrom('mails').selectAll().orderBy('created_at').orderBy('id').execute()
const row = async () => {
  const [only] = await rows()
  if (!only) throw new Error('there is no mail')
  return only
}
/** Lets the worker look, and waits for an effect. */
async function look(effect: () => unknown): Promise<void> {
  await until(async () => {
    clock.advance(1_000)
    return Boolean(await effect())
  })
}

describe('delivery', () => {
  it('sends a mail, keeps the answer and forgets what it said', async () => {
    const mails = await start()
    await mails.queue.add(system(), recover('Ada@Example.com'))
    await look(async () => (await row()).sent_at)
    expect(smtp.mails.map(({ to, parsed }) => [to, parsed.subject])).toEqual([
      [['ada@example.com'], 'Set a new password'],
    ])
    expect(await row()).toMatchObject({ sealed: null, due_at: null, leased_until: null, attempts: 1 })
    expect((await row()).answer).toMatch(/^250 /)
    expect(mails.counts).toEqual({ queued: 1, sent: 1, failed: 0 })
    expect(smtp.mails[0]?.parsed.messageId).toBe(`<${(await row()).id}@bowline.example.com>`)
  })

  it('sends nothing of a transaction that is rolled back', async () => {
    const mails = await start()
    const failing = system()
      .transaction()
      .execute(async (db) => {
        await mails.queue.add(db, recover('gone@example.com'))
        throw new Error('rolled back')
      })
    await expect(failing).rejects.toThrow('rolled back')
    await mails.queue.add(system(), recover('kept@example.com'))
    await look(() => smtp.mails.length > 0)
    expect(smtp.mails.map(({ to }) => to[0])).toEqual(['kept@example.com'])
  })

  it('tries again after a 4xx, later each time, and sends the same Message-ID', async () => {
    const mails = await start()
    smtp.refuse([451, 'greylisted'], [452, 'full'])
    const before = clock.now()
    await mails.queue.add(system(), recover('ada@example.com'))
    await look(async () => (await row()).answer === '451 greylisted')
    expect((await row()).failed_at).toBeNull()
    expect((await row()).due_at?.getTime()).toBeGreaterThan(before + 50_000)
    await look(async () => (await row()).answer === '452 full')
    await look(async () => (await row()).sent_at)
    expect(await row()).toMatchObject({ attempts: 3, failed_at: null })
    expect(smtp.mails).toHaveLength(1)
  })

  it('gives up at once after a 5xx, and keeps what is needed to try again', async () => {
    const mails = await start()
    smtp.refuse([550, 'no such user'])
    await mails.queue.add(system(), recover('ada@example.com'))
    await look(async () => (await row()).failed_at)
    expect(await row()).toMatchObject({ answer: '550 no such user', attempts: 1, due_at: null, sent_at: null })
    expect(mails.counts.failed).toBe(1)
    expect(
      (
        await list(
          { ...mails.deps, hasMailServer: mails.deps.smtp !== undefined },
          { state: 'failed', page: 1, per_page: 10 },
        )
      ).items,
    ).toMatchObject([
      { recipient: 'ada@example.com', kind: 'recover', state: 'failed', answer: '550 no such user', has_link: false },
    ])
    await resend(mails.deps, (await row()).id)
    await look(async () => (await row()).sent_at)
    expect(await row()).toMatchObject({ failed_at: null, attempts: 1 })
    await expect(resend(mails.deps, (await row()).id)).rejects.toThrow('was not found')
  })

  it('gives up after about a day of failures', async () => {
    const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => retryDelayMs(index + 1))
    const total = delays.reduce((sum, delay) => sum + delay, 0)
    expect([delays[0], delays.at(-1)]).toEqual([60_000, 4 * HOUR_MS])
    expect(Math.round(total / HOUR_MS)).toBe(24)
    const mails = await start()
    await mails.queue.add(system(), recover('ada@example.com'))
    await system()
      .updateTable('mails')
      .set({ attempts: MAX_ATTEMPTS - 1 })
      .execute()
    smtp.refuse([451, 'still not'])
    await look(async () => (await row()).failed_at)
    expect(await row()).toMatchObject({ answer: '451 still not', attempts: MAX_ATTEMPTS })
  })

  it('does not send a mail that has waited for more than a day', async () => {
    const waiting = await start('node-1', 0)
    await waiting.queue.add(system(), recover('ada@example.com'))
    clock.advance(25 * HOUR_MS)
    const mails = await start('node-2')
    await look(async () => (await row()).failed_at)
    expect(await row()).toMatchObject({ attempts: 0, answer: 'It was not sent within a day.' })
    expect([smtp.mails.length, mails.counts.failed]).toEqual([0, 1])
  })

  it('does not wait for slow mails of a few domains, nor send many of them at once', async () => {
    const answering = Promise.withResolvers<void>()
    slow = answering.promise
    const before = smtp.attempts()
    const mails = await start()
    for (let nth = 0; nth < 20; nth += 1)
      await mails.queue.add(system(), recover(`p${nth}@slow-${nth % 4}.example.com`))
    clock.advance(1_000)
    // Five of any domain, and one of each that has none then.
    await until(() => smtp.attempts() - before >= 5)
    slow = undefined
    await mails.queue.add(system(), recover('ada@example.com'))
    clock.advance(1_000)
    await until(() => smtp.mails.some(({ to }) => to[0] === 'ada@example.com'))
    expect((await rows()).filter(({ sent_at: sent }) => !sent).length).toBeGreaterThanOrEqual(5)
    answering.resolve()
    await look(async () => (await rows()).every(({ sent_at: sent }) => sent))
    expect(smtp.mails).toHaveLength(21)
  })

  it('gives up a mail that was sealed with another key', async () => {
    const mails = await start()
    await mails.queue.add(system(), recover('ada@example.com'))
    const [other] = [new SecretKey('0'.repeat(64)).seal('mail:x', Buffer.from('{}'))]
    await system().updateTable('mails').set({ sealed: other }).execute()
    await look(async () => (await row()).failed_at)
    expect(logged.map(({ ev }) => ev)).toContain('mail.error')
  })
})

describe('several processes', () => {
  it('send each mail once', async () => {
    const mails = await Promise.all(['node-1', 'node-2', 'node-3'].map((node) => start(node)))
    const people = Array.from({ length: 40 }, (_, index) => `person-${index}@example.com`)
    for (const to of people) await mails[0]?.queue.add(system(), recover(to))
    await look(async () => (await rows()).every(({ sent_at: sent }) => sent))
    expect(new Set(smtp.mails.map(({ to }) => to[0]))).toEqual(new Set(people))
    expect(smtp.mails).toHaveLength(40)
    const sent = mails.map(({ counts }) => counts.sent)
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(40)
  })

  it('leave a mail to the process that holds it, until its lease ends', async () => {
    const mails = await start('node-1', 0)
    await mails.queue.add(system(), recover('ada@example.com'))
    const lease = (node: string, at: number) =>
      leaseMails(system(), { node, now: new Date(at), until: new Date(at + 300_000), limit: 5 })
    expect(await lease('node-1', clock.now())).toHaveLength(1)
    expect(await lease('node-2', clock.now() + 299_000)).toHaveLength(0)
    expect(await lease('node-2', clock.now() + 301_000)).toMatchObject([{ attempts: 2, leased_by: 'node-2' }])
  })

  it('take up at once what their earlier life held', async () => {
    const mails = await start('node-1', 0)
    await mails.queue.add(system(), recover('ada@example.com'))
    await leaseMails(system(), {
      node: 'node-1',
      now: new Date(clock.now()),
      until: new Date(clock.now() + HOUR_MS),
      limit: 5,
    })
    await start('node-2')
    await start('node-1')
    await look(async () => (await row()).sent_at)
    expect(smtp.mails).toHaveLength(1)
  })

  it('wait for the answer to a mail in hand when they stop', async () => {
    const answering = Promise.withResolvers<void>()
    slow = answering.promise
    const mails = await start()
    await mails.queue.add(system(), recover('ada@example.com'))
    await look(async () => (await row()).leased_by)
    const attempts = smtp.attempts()
    await until(() => smtp.attempts() > attempts || smtp.attempts() > 0)
    const stopped = Promise.all(
      endings
        .splice(0)
        .reverse()
        .map((end) => end()),
    )
    answering.resolve()
    await stopped
    expect((await row()).sent_at).not.toBeNull()
  })
})

describe('limits', () => {
  const add = async (mails: Mails, kind: MailKind, to: string, source: string, times: number) => {
    for (let nth = 0; nth < times; nth += 1) {
      if (kind === 'notice') {
        const values = {
          name: 'Ada',
          event: 'new-device' as const,
          subject: '',
          source,
          browser: '',
          at: '',
          link: ORIGIN,
        }
        await mails.queue.add(system(), { kind, to, user: undefined, source, values })
      } else await mails.queue.add(system(), recover(to, source))
    }
    return (await rows()).filter((one) => one.recipient === to && one.kind === kind).length
  }

  it('write twenty mails an hour to a recipient, and more in the next', async () => {
    const mails = await start('node-1', 0)
    expect(await add(mails, 'recover', 'ada@example.com', '', 22)).toBe(20)
    expect(await add(mails, 'recover', 'Grace@example.com'.toLowerCase(), '', 1)).toBe(1)
    clock.advance(HOUR_MS)
    expect(await add(mails, 'recover', 'ada@example.com', '', 22)).toBe(40)
  })

  it('tell a source nothing by the mails that it no longer gets', async () => {
    const mails = await start('node-1', 0)
    for (let nth = 0; nth < 60; nth += 1) await mails.queue.add(system(), recover(`p${nth}@example.com`, '203.0.113.7'))
    expect(await rows()).toHaveLength(60)
  })

  it('write thirty test mails an hour for a source, and leave the shares of recipients alone beyond', async () => {
    const mails = await start('node-1', 0)
    const test = (to: string, source: string) =>
      mails.queue.add(system(), { kind: 'test', to, user: undefined, source, values: { link: ORIGIN } })
    for (let nth = 0; nth < 32; nth += 1) await test(`p${nth}@example.com`, '203.0.113.7')
    expect(await rows()).toHaveLength(30)
    for (let nth = 0; nth < 10; nth += 1) await test('ada@example.com', '203.0.113.8')
    expect(await rows()).toHaveLength(40)
  })

  it('keep notices apart from what anybody can cause', async () => {
    const mails = await start('node-1', 0)
    await add(mails, 'recover', 'ada@example.com', '203.0.113.7', 40)
    expect(await add(mails, 'notice', 'ada@example.com', '203.0.113.7', 40)).toBe(30)
  })

  it('keep notices of new browsers from crowding out that of a new password', async () => {
    const { queue } = await start('node-1', 0)
    const owner = { id: undefined as never, email: 'ada@example.com', name: 'Ada', username: 'ada' }
    const origin = { source: '203.0.113.7', userAgent: 'x' }
    for (let nth = 0; nth < 40; nth += 1)
      await addNotice(system(), { mails: queue, clock }, owner, { event: 'new-device', origin })
    await addNotice(system(), { mails: queue, clock }, owner, { event: 'password-changed', origin })
    expect(await rows()).toHaveLength(11)
  })

  it('hold for concurrent calls', async () => {
    const limits = { category: 'asked', perRecipient: 3, perSource: 30 }
    const at = new Date(clock.now())
    const mail = () => ({
      id: randomUUID(),
      kind: 'recover' as const,
      recipient: 'a@b.c',
      user_id: null,
      sealed: Buffer.of(1),
      source: '',
      at,
    })
    const written = await Promise.all(Array.from({ length: 12 }, () => insertMail(system(), mail(), limits)))
    expect(written.toSorted()).toEqual(['last', ...Array<string>(9).fill('refused'), 'written', 'written'])
    expect(await rows()).toHaveLength(3)
  })

  it('forget mails after 30 days and counts after an hour', async () => {
    const mails = await start('node-1', 0)
    await add(mails, 'recover', 'ada@example.com', '', 1)
    clock.advance(KEPT_MS - 1)
    await sweepMails(system(), new Date(clock.now() - KEPT_MS), new Date(clock.now() - HOUR_MS))
    expect([(await rows()).length, await system().selectFrom('mail_counts').selectAll().execute()]).toEqual([1, []])
    clock.advance(2)
    await sweepMails(system(), new Date(clock.now() - KEPT_MS), new Date(clock.now() - HOUR_MS))
    expect(await rows()).toEqual([])
  })
})

describe('without a mail server', () => {
  it('logs the link of a mail that an administrator hands over, once, and of no other', async () => {
    const mails = await start('node-1', 0)
    await start('node-2', 0)
    await mails.queue.add(system(), recover('ada@example.com'))
    const code = { name: 'Ada', code: 'K7QX', link: `${ORIGIN}/reset-mfa`, hours: 24 }
    await mails.queue.add(system(), {
      kind: 'reset-code',
      to: 'ada@example.com',
      user: undefined,
      source: '',
      values: code,
    })
    await look(() => logged.length > 0)
    clock.advance(5_000)
    await mails.queue.add(system(), recover('grace@example.com'))
    await look(() => logged.length > 1)
    expect(logged).toEqual(
      ['ada@example.com', 'grace@example.com'].map((to) => ({
        ev: 'mail.not-configured',
        fields: { kind: 'recover', to, link: `${ORIGIN}/update-password?token=secret` },
      })),
    )
    const { items } = await list(
      { ...mails.deps, hasMailServer: mails.deps.smtp !== undefined },
      { page: 1, per_page: 10 },
    )
    expect(items.filter(({ has_link: isThere }) => isThere).map(({ kind }) => kind)).toEqual(['recover', 'recover'])
    expect(items.map(({ state }) => state)).toEqual(['queued', 'queued', 'queued'])
  })
})
