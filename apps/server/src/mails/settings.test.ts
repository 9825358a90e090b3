// Settings of mail: what belongs together, and errors that name the setting.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@bowline/contract/config'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnFiles, readConfig } from '../config.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { selfSignedCertificate } from '../platform/network/certificate.ts'

let folder: string
let certificate: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-mail-settings-'))
  const { cert } = await selfSignedCertificate(folder, ['mail.example.com'])
  certificate = join(folder, 'ca.pem')
  await writeFile(certificate, cert)
  await writeFile(join(folder, 'password'), 'from the file\n')
  await writeFile(join(folder, 'empty'), '\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const files: OwnFiles = {
  secretKey: () => Promise.resolve(new SecretKey('0'.repeat(64))),
  nodeSecret: () => Promise.resolve('0'.repeat(64)),
  certificate: () => Promise.resolve(undefined),
}
const RIGHT = {
  BOWLINE_DOMAIN: 'bowline.example.com',
  BOWLINE_SMTP_URL: 'smtp://mail.example.com',
  BOWLINE_SMTP_FROM: 'Bowline <bowline@example.com>',
}
const read = async (changes: Record<string, string> = {}) => (await readConfig({ ...RIGHT, ...changes }, files)).smtp
async function problems(env: Record<string, string>): Promise<readonly string[]> {
  try {
    await readConfig(env, files)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('settings of a mail server', () => {
  it('are none without an address', async () => {
    expect((await readConfig({}, files)).smtp).toBeUndefined()
  })

  it('require STARTTLS by default, at port 587, and introduce themselves as the console', async () => {
    expect(await read()).toEqual({
      host: 'mail.example.com',
      port: 587,
      implicitTls: false,
      startTls: 'required',
      credentials: undefined,
      ca: undefined,
      name: 'bowline.example.com',
      from: 'Bowline <bowline@example.com>',
      replyTo: undefined,
    })
  })

  it.each([
    ['smtps://mail.example.com', { port: 465, implicitTls: true }],
    ['smtp://mail.example.com:25', { port: 25 }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
    ['smtp://a%40b:p%3Aw%2F@mail.example.com', { credentials: { user: 'a@b', password: 'p:w/' } }],
  ])('are read from %s', async (url, expected) => {
    expect(await read({ BOWLINE_SMTP_URL: url })).toMatchObject(expected)
  })

  it('take password and authority from files', async () => {
    const settings = await read({
      BOWLINE_SMTP_URL: 'smtp://bowline:@mail.example.com',
      BOWLINE_SMTP_PASSWORD_FILE: join(folder, 'password'),
      BOWLINE_SMTP_CA_FILE: certificate,
      BOWLINE_SMTP_NAME: 'out.example.com',
      BOWLINE_SMTP_REPLY_TO: 'help@example.com',
      BOWLINE_SMTP_STARTTLS: 'opportunistic',
    })
    expect(settings).toMatchObject({
      credentials: { user: 'bowline', password: 'from the file' },
      name: 'out.example.com',
      replyTo: 'help@example.com',
      startTls: 'opportunistic',
    })
    expect(settings?.ca).toContain('BEGIN CERTIFICATE')
  })

  it('name an address as RFC 5321 wants it', async () => {
    expect(await read({ BOWLINE_PUBLIC_URL: 'https://192.0.2.7' })).toMatchObject({ name: '[192.0.2.7]' })
    expect(await read({ BOWLINE_PUBLIC_URL: 'https://[2001:db8::7]' })).toMatchObject({ name: '[IPv6:2001:db8::7]' })
  })
})

describe('settings that are incomplete or contradict each other', () => {
  const url = RIGHT.BOWLINE_SMTP_URL
  it('require a public name and a sender', async () => {
    expect(await problems({ BOWLINE_SMTP_URL: url })).toEqual([
      'BOWLINE_DOMAIN or BOWLINE_PUBLIC_URL is required together with BOWLINE_SMTP_URL: mails link to the console.',
      'BOWLINE_SMTP_FROM is required together with BOWLINE_SMTP_URL.',
    ])
    expect(await problems({ ...RIGHT, BOWLINE_DOMAIN: '', BOWLINE_PUBLIC_URL: 'https://x.example.com' })).toEqual([])
  })

  it.each(['PASSWORD_FILE', 'FROM', 'REPLY_TO', 'CA_FILE'])('refuse BOWLINE_SMTP_%s alone', async (name) => {
    expect(await problems({ [`BOWLINE_SMTP_${name}`]: 'x@example.com' })).toEqual([
      `BOWLINE_SMTP_${name} needs BOWLINE_SMTP_URL.`,
    ])
  })

  it.each([
    ['smtp://mail.example.com', 'needs a user in BOWLINE_SMTP_URL: smtp://user:@host.'],
    ['smtp://a:b@mail.example.com', 'and a password in BOWLINE_SMTP_URL exclude each other.'],
  ])('refuse a file with the password for %s', async (one, rule) => {
    const env = { ...RIGHT, BOWLINE_SMTP_URL: one, BOWLINE_SMTP_PASSWORD_FILE: join(folder, 'password') }
    expect(await problems(env)).toEqual([`BOWLINE_SMTP_PASSWORD_FILE ${rule}`])
  })

  it('refuse files that cannot be read, are empty or hold something else', async () => {
    const ca = (name: string) => problems({ ...RIGHT, BOWLINE_SMTP_CA_FILE: join(folder, name) })
    expect(await ca('missing')).toEqual([`BOWLINE_SMTP_CA_FILE: ${join(folder, 'missing')} cannot be read (ENOENT).`])
    expect(await ca('empty')).toEqual([`BOWLINE_SMTP_CA_FILE: ${join(folder, 'empty')} is empty.`])
    expect(await ca('password')).toEqual([
      `BOWLINE_SMTP_CA_FILE: ${join(folder, 'password')} must hold PEM certificates.`,
    ])
  })

  it.each([
    ['BOWLINE_SMTP_URL', 'mail.example.com'],
    ['BOWLINE_SMTP_URL', 'smtp://mail.example.com/path'],
    ['BOWLINE_SMTP_URL', 'smtp://user:p%zz@mail.example.com'],
    ['BOWLINE_SMTP_URL', 'smtp://mail.example.com:99999'],
    ['BOWLINE_SMTP_FROM', 'Bowline'],
    ['BOWLINE_SMTP_FROM', 'a@b.example, c@d.example'],
    ['BOWLINE_SMTP_FROM', 'Bowline <a@b.example>\r\nBcc: c@d.example'],
    ['BOWLINE_SMTP_REPLY_TO', 'a@b.example\nBcc: c@d.example'],
    ['BOWLINE_SMTP_NAME', 'two words'],
    ['BOWLINE_SMTP_STARTTLS', 'maybe'],
  ])('refuse %s=%j', async (name, value) => {
    const found = await problems({ ...RIGHT, [name]: value })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${name} `))
  })
})
