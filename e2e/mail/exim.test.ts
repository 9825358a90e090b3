// Mails of the product through Debian's Exim, over STARTTLS with a private authority.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandLine } from '../../apps/server/src/cli/testing.ts'
import { type Server, startServer } from '../support/server.ts'
import { until } from '../support/wait.ts'
import { type Exim, startExim } from './exim.ts'
import { mailSettings, writeMails } from './outbox.ts'

let exim: Exim
let server: Server
let settings: Record<string, string>
beforeAll(async () => {
  exim = await startExim()
  settings = {
    ...mailSettings(exim.port),
    BOWLINE_SMTP_STARTTLS: 'required',
    BOWLINE_SMTP_CA_FILE: exim.caFile,
    BOWLINE_SMTP_REPLY_TO: 'help@example.com',
  }
  server = await startServer({ env: settings })
})
afterAll(async () => {
  await server.remove()
  await exim.close()
})

it('delivers a mail with both parts, encrypted, whatever a name contains', async () => {
  const name = 'Zoë\r\nBcc: victim@example.com\r\n\r\nhttp://evil.example'
  await writeMails(server.dataFolder, ['ada@example.com'], name)
  await until('the mail is in the folder', async () => (await exim.mails()).length === 1, 60_000)
  const [mail] = await exim.mails()
  expect(mail?.subject).toBe('Set a new password')
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated')
  expect(mail?.headers.has('bcc')).toBe(false)
  expect(mail?.messageId).toMatch(/^<[0-9a-f-]{36}@bowline\.example\.com>$/)
  expect(mail?.replyTo?.text).toBe('help@example.com')
  expect(mail?.text).toContain('https://bowline.example.com/update-password?token=secret')
  expect(mail?.text).toContain('Hello Zoë Bcc: victim[@]example[.]com')
  expect(mail?.html).toContain('href="https://bowline.example.com/update-password?token=secret"')
  expect(await exim.log()).toMatch(/<= bowline@example\.com .* P=esmtps .*X=TLS1\.3/)
  expect(await exim.log()).not.toContain('victim@example.com')
})

it('keeps a mail that Exim refuses, with its answer', async () => {
  await writeMails(server.dataFolder, ['nobody@example.com'])
  const { call } = await server.client()
  const failed = async () => (await call(operations.mails.list, { query: { state: 'failed' } })).body
  await until('the mail is given up', async () => (await failed()).length === 1, 60_000)
  expect(await failed()).toMatchObject([{ recipient: 'nobody@example.com', answer: '550 there is no such person' }])
})

it('takes the test mail of the command line, and the check of the settings', async () => {
  const { bowline, run } = commandLine(() => ({ ...settings, BOWLINE_DATA_DIR: server.dataFolder }))
  expect(await bowline('mail test grace@example.com')).toMatch(/has taken the mail to grace@example\.com: 250 OK/)
  expect((await run(['check'])).out).toMatch(/^ok {4}mail server: 127\.0\.0\.1 port \d+ takes mails of this server\.$/m)
})
