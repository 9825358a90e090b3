// `bowline mail`: a test mail with the settings of the environment, and the outbox of a server.
import { systemClock } from '@bowline/base/clock'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMailQueue } from '../mails/queue.ts'
import { type TestSmtp, startSmtp } from '../mails/testing/smtp.ts'
import { randomIds } from '../platform/ids.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, bootServer, databaseUrl } from '../testing/boot.ts'
import { commandLine } from './testing.ts'

let server: BootedServer
let smtp: TestSmtp
let mailSettings: Record<string, string>
beforeAll(async () => {
  smtp = await startSmtp()
  mailSettings = {
    BOWLINE_DOMAIN: 'bowline.example.com',
    BOWLINE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    BOWLINE_SMTP_STARTTLS: 'off',
    BOWLINE_SMTP_FROM: 'bowline@example.com',
  }
  server = await bootServer({ settings: mailSettings })
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

const environment = () => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_DATA_DIR: server.dataFolder,
})
const { bowline, json, refusal, run } = commandLine(() => ({ ...environment(), ...mailSettings }))

async function write(to: string): Promise<void> {
  const publicOrigin = 'https://bowline.example.com'
  const queue = createMailQueue({
    clock: systemClock,
    ids: randomIds,
    secretKey: new SecretKey(server.secretKey),
    publicOrigin: () => publicOrigin,
    isSending: true,
  })
  const values = { name: 'Ada', link: `${publicOrigin}/update-password?token=x`, hours: 24 }
  await queue.add(server.database.system(), { kind: 'recover', to, user: undefined, source: '', values })
}

describe('bowline mail test', () => {
  it('sends a mail with the settings of the environment and prints the answer', async () => {
    const said = await bowline('mail test Ada@Example.com')
    expect(said).toMatch(new RegExp(`^127\\.0\\.0\\.1 port ${smtp.port} has taken the mail to ada@example\\.com: 250 `))
    expect(smtp.mails.at(-1)).toMatchObject({ to: ['ada@example.com'], from: 'bowline@example.com' })
    expect(await json('mail test ada@example.com')).toMatchObject({ outcome: 'accepted', code: 250 })
  })

  it('fails with the answer of a server that refuses', async () => {
    smtp.refuse([550, 'no such user'])
    expect(await refusal('mail test ada@example.com')).toEqual([
      1,
      `bowline: 127.0.0.1 port ${smtp.port}: 550 no such user`,
    ])
  })

  it('says which setting is missing, and refuses what is no address', async () => {
    const { status, errors } = await run(['mail', 'test', 'ada@example.com'], '', environment())
    expect([status, errors]).toEqual([2, 'bowline: BOWLINE_SMTP_URL is not set: without it no mail is sent.'])
    expect(await refusal('mail test ada')).toEqual([1, 'bowline: to: must be an e-mail address.'])
  })
})

describe('the outbox', () => {
  it('lists mails that were given up and sends one once more', async () => {
    smtp.refuse([550, 'no such user'])
    await write('grace@example.com')
    const failed = async () => (await json('mail list --failed')) as { id: string; answer: string }[]
    await until(async () => (await failed()).length === 1)
    const [mail] = await failed()
    expect(await bowline('mail list --failed')).toMatch(
      /^TIME +ID +KIND +RECIPIENT +STATE +ATTEMPTS +ANSWER\n\S+ +\S+ +recover +grace@example\.com +failed +1 +550 no such user$/,
    )
    expect(await bowline(`mail resend ${mail?.id}`)).toBe(`The mail ${mail?.id} is sent once more.`)
    await until(() => smtp.mails.some(({ to }) => to[0] === 'grace@example.com'))
    await until(async () => ((await json('mail list')) as { state: string }[])[0]?.state === 'sent')
    expect(await failed()).toEqual([])
    expect(await refusal(`mail resend ${mail?.id}`)).toEqual([1, 'bowline: The failed mail was not found.'])
    expect(await refusal('mail resend nonsense')).toEqual([1, 'bowline: The failed mail was not found.'])
  })

  it('prints links only while no mail server is set', async () => {
    const row = { kind: 'recover' as const, recipient: 'link@example.com', created_at: new Date(), due_at: null }
    const id = randomIds.uuid()
    const values = JSON.stringify({ name: 'Ada', link: 'https://bowline.example.com/x', hours: 1 })
    const sealed = new SecretKey(server.secretKey).seal(`mail:${id}`, Buffer.from(values))
    await server.database
      .system()
      .insertInto('mails')
      .values({ ...row, id, sealed, failed_at: new Date() })
      .execute()
    expect((await run(['mail', 'list', '--failed'], '', environment())).out).toContain('https://bowline.example.com/x')
    expect(await bowline('mail list --failed')).not.toContain('https://bowline.example.com/x')
  })
})

describe('bowline check', () => {
  it('reports whether the mail server takes mails', async () => {
    const finding = async (changes: Record<string, string> = {}) => {
      const { out } = await run(['check', '--json'], '', { ...environment(), ...mailSettings, ...changes })
      const findings = JSON.parse(out) as { check: string; status: string; message: string }[]
      return findings.find(({ check }) => check === 'mail server')
    }
    expect(await finding()).toMatchObject({
      status: 'ok',
      message: `127.0.0.1 port ${smtp.port} takes mails of this server.`,
    })
    expect(await finding({ BOWLINE_SMTP_STARTTLS: 'required' })).toMatchObject({ status: 'warn' })
    const { out } = await run(['check', '--json'], '', environment())
    expect(out).not.toContain('mail server')
  })
})
