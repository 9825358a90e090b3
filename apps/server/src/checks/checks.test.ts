// What `bowline check` says of real parts that are right, and of each that is not.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandLine } from '../cli/testing.ts'
import { asOwner } from '../db/owner-session.ts'
import { emptyDatabase } from '../testing/database.ts'
import { type BootedServer, bootServer, databaseUrl } from '../testing/boot.ts'
import { checkEverything } from './all.ts'
import type { Finding } from './finding.ts'

const DAY_MS = 86_400_000
let folder: string
let server: BootedServer
/** Settings with which everything is right. */
let right: Record<string, string>
beforeAll(async () => {
  server = await bootServer()
  folder = await mkdtemp(join(tmpdir(), 'bowline-check-'))
  right = {
    BOWLINE_DATA_DIR: server.dataFolder,
    BOWLINE_DATABASE_URL: databaseUrl(server.owner),
    BOWLINE_SECRET_KEY: server.secretKey,
    BOWLINE_HTTP_PORT: new URL(server.origin).port,
    BOWLINE_SSH_PORT: String(server.sshPort),
  }
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

const { run } = commandLine(() => right)
const check = (changes: Record<string, string> = {}, now = Date.now()) => checkEverything({ ...right, ...changes }, now)
/** What one check says. */
async function of(
  name: string,
  changes: Record<string, string>,
  now?: number,
): Promise<Pick<Finding, 'status' | 'message'>> {
  const findings = await check(changes, now)
  const found = findings.find((one) => one.check === name)
  if (!found) throw new Error(`not checked: ${name}; ${JSON.stringify(findings)}`)
  return { status: found.status, message: found.message }
}

/** @param names of the certificate. @returns settings with it, valid from now for thirty days */
function certificate(name: string, names: string): Record<string, string> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30']
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert]
  execFileSync('openssl', [...args, ...subject], { stdio: 'ignore' })
  return { BOWLINE_TLS_CERT_FILE: cert, BOWLINE_TLS_KEY_FILE: key }
}

describe('bowline check', () => {
  it('finds nothing wrong beside a running server', async () => {
    const { status, out, errors } = await run(['check'])
    expect([status, errors]).toEqual([0, ''])
    expect(out).toMatch(/^ok {4}database: PostgreSQL \d+ at \S+ answers/m)
    expect(out).toMatch(/^ok {4}migrations: All \d+ were run\.$/m)
    for (const port of ['HTTP', 'SSH'])
      expect(out).toMatch(new RegExp(`^ok    ${port} port: A Bowline server listens`, 'm'))
    expect(out).not.toMatch(/^fail/m)
    expect(out).not.toContain(new URL(right['BOWLINE_DATABASE_URL'] ?? '').password || '\0')
  })

  it('ends with status 1 and prints JSON all the same when something is wrong', async () => {
    const { status, out, errors } = await run(['check', '--json'], '', { ...right, BOWLINE_SSH_PORT: 'ssh' })
    expect(status).toBe(1)
    expect(errors).toBe('bowline: 1 of 1 checks failed.')
    expect(JSON.parse(out)).toMatchObject([
      { check: 'settings', status: 'fail', message: expect.stringContaining('BOWLINE_SSH_PORT') },
    ])
  })

  it('makes nothing where nothing is yet, not even the data folder', async () => {
    const data = join(folder, 'none', 'data')
    const findings = await checkEverything(
      { BOWLINE_DATA_DIR: data, BOWLINE_HOST: '0.0.0.0', BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' },
      Date.now(),
    )
    expect(findings.filter(({ status }) => status === 'fail')).toEqual([])
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  it('makes no file in a data folder that is empty', async () => {
    const data = join(folder, 'empty')
    await mkdir(data, { mode: 0o700 })
    await checkEverything(
      { BOWLINE_DATA_DIR: data, BOWLINE_HOST: '0.0.0.0', BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' },
      Date.now(),
    )
    expect(await readdir(data)).toEqual([])
  })
})

describe('a database', () => {
  it('that does not answer fails, without its password', async () => {
    const found = await of('database', { BOWLINE_DATABASE_URL: 'postgres://bowline:secret-word@127.0.0.1:1/bowline' })
    expect(found).toEqual({ status: 'fail', message: expect.stringContaining('ECONNREFUSED') })
    expect(found.message).not.toContain('secret-word')
  })

  it('that is empty, behind, or of a newer Bowline is told apart, and not changed', async () => {
    const empty = await emptyDatabase()
    try {
      const url = { BOWLINE_DATABASE_URL: databaseUrl(empty.owner) }
      expect(await of('migrations', url)).toMatchObject({ status: 'ok', message: expect.stringContaining('is empty') })
      const query = (text: string) =>
        asOwner(empty.owner, async (client) => (await client.query(text)).rows as unknown[])
      expect(await query(`select to_regclass('public.schema_migrations') as made`)).toEqual([{ made: null }])
      await query('create table schema_migrations (version integer, name text, checksum text)')
      expect(await of('migrations', url)).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('are missing'),
      })
      await query(`insert into schema_migrations values (1, 'other', 'x')`)
      expect(await of('migrations', url)).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('another migration 1'),
      })
    } finally {
      await empty.close()
    }
  })

  it('of another major version in the data folder fails', async () => {
    const data = join(folder, 'older')
    await mkdir(join(data, 'postgres/17-data'), { recursive: true })
    const findings = await checkEverything(
      { BOWLINE_DATA_DIR: data, BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' },
      Date.now(),
    )
    expect(findings).toContainEqual(expect.objectContaining({ check: 'database', status: 'fail' }))
  })
})

describe('a certificate', () => {
  it('is good for its names, warned of before its end, and bad after it', async () => {
    const tls = { ...certificate('good', 'DNS:bowline.example.com'), BOWLINE_DOMAIN: 'bowline.example.com' }
    expect(await of('certificate', tls)).toMatchObject({ status: 'ok' })
    expect(await of('certificate', tls, Date.now() + 20 * DAY_MS)).toMatchObject({ status: 'warn' })
    expect(await of('certificate', tls, Date.now() + 31 * DAY_MS)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('expired'),
    })
    expect(await of('certificate', tls, Date.now() - DAY_MS)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('valid from'),
    })
    expect(await of('certificate', { ...tls, BOWLINE_DOMAIN: 'other.example.com' })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('other.example.com'),
    })
  })

  it('with the key of another, or none at all, fails', async () => {
    const [one, other] = [certificate('one', 'DNS:a.example'), certificate('other', 'DNS:a.example')]
    const mixed = { ...one, BOWLINE_TLS_KEY_FILE: other['BOWLINE_TLS_KEY_FILE'] ?? '' }
    expect(await of('certificate', mixed)).toEqual({
      status: 'fail',
      message: 'The private key belongs to another certificate.',
    })
    const broken = join(folder, 'broken.crt')
    await writeFile(broken, 'no certificate')
    expect(await of('certificate', { ...one, BOWLINE_TLS_CERT_FILE: broken })).toMatchObject({ status: 'fail' })
  })
})

describe('the surroundings', () => {
  it('a port of another program fails, and so does an address that is not of this machine', async () => {
    const other = createServer((socket) => socket.end('220 mail\r\n'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    try {
      const message = `Another program listens on 127.0.0.1 port ${port}.`
      expect(await of('SSH port', { BOWLINE_SSH_PORT: port })).toEqual({ status: 'fail', message })
      expect(await of('HTTP port', { BOWLINE_HTTP_PORT: port })).toEqual({ status: 'fail', message })
    } finally {
      other.close()
    }
    expect(await of('SSH port', { BOWLINE_HOST: '203.0.113.1', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('EADDRNOTAVAIL'),
    })
  })

  it('a name that leads nowhere is warned of, one of this machine is not', async () => {
    expect(await of('domain', { BOWLINE_DOMAIN: 'bowline.invalid' })).toMatchObject({ status: 'warn' })
    expect(await of('domain', { BOWLINE_DOMAIN: 'localhost' })).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('this machine'),
    })
  })

  it('a data folder that is a file fails, and one that others may enter is warned of', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await chmod(file, 0o700)
    expect(await of('data folder', { BOWLINE_DATA_DIR: file })).toMatchObject({
      status: 'fail',
      message: `${file} is not a folder.`,
    })
    const open = join(folder, 'open')
    await mkdir(open)
    await chmod(open, 0o755)
    expect(await of('data folder', { BOWLINE_DATA_DIR: open })).toEqual({
      status: 'warn',
      message: `${open} is open to others.`,
    })
    expect((await stat(open)).mode & 0o777).toBe(0o755)
  })

  it('an S3 store that does not answer fails', async () => {
    const store = {
      BOWLINE_S3_ENDPOINT: 'http://127.0.0.1:1',
      BOWLINE_S3_BUCKET: 'recordings',
      BOWLINE_S3_ACCESS_KEY_ID: 'k',
      BOWLINE_S3_SECRET_ACCESS_KEY: 's',
    }
    expect(await of('S3 store', store)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('The bucket recordings at'),
    })
  })
})
