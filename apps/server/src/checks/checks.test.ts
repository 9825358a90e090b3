// Findings of `bowline doctor` for sound parts and for each kind of defect.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redisMissing, startRedis } from '@bowline/testkit/redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { commandLine } from '../cli/testing.ts'
import { asOwner } from '../db/owner-session.ts'
import { emptyDatabase } from '../testing/database.ts'
import { type BootedServer, bootServer, databaseUrl } from '../testing/boot.ts'
import { checkEverything } from './all.ts'
import type { Finding } from './finding.ts'

const DAY_MS = 86_400_000
let folder: string
let server: BootedServer
/** Settings without any defect. */
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
/** Finding of one check. */
async function findingOf(
  name: string,
  changes: Record<string, string>,
  now?: number,
): Promise<Pick<Finding, 'status' | 'message'>> {
  const findings = await check(changes, now)
  const found = findings.find((one) => one.check === name)
  if (!found) throw new Error(`not checked: ${name}; ${JSON.stringify(findings)}`)
  return { status: found.status, message: found.message }
}

/** @param names subject alternative names. @returns settings of a certificate valid for thirty days from now */
function certificate(name: string, names: string): Record<string, string> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30']
  const subject = ['-subj', '/CN=test', '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert]
  execFileSync('openssl', [...args, ...subject], { stdio: 'ignore' })
  return { BOWLINE_TLS_CERT_FILE: cert, BOWLINE_TLS_KEY_FILE: key }
}

describe('bowline check', () => {
  it('reports no failure beside a running server', async () => {
    const { status, out, errors } = await run(['check'])
    expect([status, errors]).toEqual([0, ''])
    expect(out).toMatch(/^ok {4}database: PostgreSQL \d+ at \S+ answers/m)
    expect(out).toMatch(/^ok {4}migrations: All \d+ were run\.$/m)
    for (const port of ['HTTP', 'SSH'])
      expect(out).toMatch(new RegExp(`^ok    ${port} port: A Bowline server listens`, 'm'))
    expect(out).not.toMatch(/^fail/m)
    expect(out).not.toContain(new URL(right['BOWLINE_DATABASE_URL'] ?? '').password || '\0')
  })

  it('exits with status 1 and still prints JSON when a check fails', async () => {
    const { status, out, errors } = await run(['check', '--json'], '', { ...right, BOWLINE_SSH_PORT: 'ssh' })
    expect(status).toBe(1)
    expect(errors).toBe('bowline: 1 of 1 checks failed.')
    expect(JSON.parse(out)).toMatchObject([
      { check: 'settings', status: 'fail', message: expect.stringContaining('BOWLINE_SSH_PORT') },
    ])
  })

  it('creates nothing on a fresh machine, not even the data folder', async () => {
    const data = join(folder, 'none', 'data')
    const findings = await checkEverything(
      { BOWLINE_DATA_DIR: data, BOWLINE_HOST: '0.0.0.0', BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' },
      Date.now(),
    )
    expect(findings.filter(({ status }) => status === 'fail')).toEqual([])
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })

  it('creates no file in an empty data folder', async () => {
    const data = join(folder, 'empty')
    await mkdir(data, { mode: 0o700 })
    await checkEverything(
      { BOWLINE_DATA_DIR: data, BOWLINE_HOST: '0.0.0.0', BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' },
      Date.now(),
    )
    expect(await readdir(data)).toEqual([])
  })
})

describe('database check', () => {
  it('fails for an unreachable database without printing its password', async () => {
    const found = await findingOf('database', {
      BOWLINE_DATABASE_URL: 'postgres://bowline:secret-word@127.0.0.1:1/bowline',
    })
    expect(found).toEqual({ status: 'fail', message: expect.stringContaining('ECONNREFUSED') })
    expect(found.message).not.toContain('secret-word')
  })

  it('distinguishes an empty, an outdated and a newer database without changing it', async () => {
    const empty = await emptyDatabase()
    try {
      const url = { BOWLINE_DATABASE_URL: databaseUrl(empty.owner) }
      expect(await findingOf('migrations', url)).toMatchObject({
        status: 'ok',
        message: expect.stringContaining('is empty'),
      })
      const query = (text: string) =>
        asOwner(empty.owner, async (client) => (await client.query(text)).rows as unknown[])
      expect(await query(`select to_regclass('public.schema_migrations') as made`)).toEqual([{ made: null }])
      await query('create table schema_migrations (version integer, name text, checksum text)')
      expect(await findingOf('migrations', url)).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('are missing'),
      })
      await query(`insert into schema_migrations values (1, 'other', 'x')`)
      expect(await findingOf('migrations', url)).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('another migration 1'),
      })
    } finally {
      await empty.close()
    }
  })

  it('fails for an embedded database of another major version', async () => {
    const data = join(folder, 'older')
    await mkdir(join(data, 'postgres/17-data'), { recursive: true })
    const findings = await checkEverything(
      { BOWLINE_DATA_DIR: data, BOWLINE_HTTP_PORT: '0', BOWLINE_SSH_PORT: '0' },
      Date.now(),
    )
    expect(findings).toContainEqual(expect.objectContaining({ check: 'database', status: 'fail' }))
  })
})

describe('certificate check', () => {
  it('accepts a certificate for its names, warns before expiry and fails outside validity', async () => {
    const tls = { ...certificate('good', 'DNS:bowline.example.com'), BOWLINE_DOMAIN: 'bowline.example.com' }
    expect(await findingOf('certificate', tls)).toMatchObject({ status: 'ok' })
    expect(await findingOf('certificate', tls, Date.now() + 20 * DAY_MS)).toMatchObject({ status: 'warn' })
    expect(await findingOf('certificate', tls, Date.now() + 31 * DAY_MS)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('expired'),
    })
    expect(await findingOf('certificate', tls, Date.now() - DAY_MS)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('valid from'),
    })
    expect(await findingOf('certificate', { ...tls, BOWLINE_DOMAIN: 'other.example.com' })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('other.example.com'),
    })
  })

  it('fails for a certificate with a foreign key and for an unreadable certificate', async () => {
    const [one, other] = [certificate('one', 'DNS:a.example'), certificate('other', 'DNS:a.example')]
    const mixed = { ...one, BOWLINE_TLS_KEY_FILE: other['BOWLINE_TLS_KEY_FILE'] ?? '' }
    expect(await findingOf('certificate', mixed)).toEqual({
      status: 'fail',
      message: 'The private key belongs to another certificate.',
    })
    const broken = join(folder, 'broken.crt')
    await writeFile(broken, 'no certificate')
    expect(await findingOf('certificate', { ...one, BOWLINE_TLS_CERT_FILE: broken })).toMatchObject({ status: 'fail' })
  })
})

describe('host check', () => {
  it('fails for a port of another program and for an address of another machine', async () => {
    const other = createServer((socket) => socket.end('220 mail\r\n'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    try {
      const message = `Another program listens on 127.0.0.1 port ${port}.`
      expect(await findingOf('SSH port', { BOWLINE_SSH_PORT: port })).toEqual({ status: 'fail', message })
      expect(await findingOf('HTTP port', { BOWLINE_HTTP_PORT: port })).toEqual({ status: 'fail', message })
    } finally {
      other.close()
    }
    expect(
      await findingOf('SSH port', { BOWLINE_HOST: '203.0.113.1', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }),
    ).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('EADDRNOTAVAIL'),
    })
  })

  it('warns about an unresolvable domain but not about one of this machine', async () => {
    expect(await findingOf('domain', { BOWLINE_DOMAIN: 'bowline.invalid' })).toMatchObject({ status: 'warn' })
    expect(await findingOf('domain', { BOWLINE_DOMAIN: 'localhost' })).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('this machine'),
    })
  })

  it('fails for a data folder that is a file and warns about one open to others', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await chmod(file, 0o700)
    expect(await findingOf('data folder', { BOWLINE_DATA_DIR: file })).toMatchObject({
      status: 'fail',
      message: `${file} is not a folder.`,
    })
    const open = join(folder, 'open')
    await mkdir(open)
    await chmod(open, 0o755)
    expect(await findingOf('data folder', { BOWLINE_DATA_DIR: open })).toEqual({
      status: 'warn',
      message: `${open} is open to others.`,
    })
    expect((await stat(open)).mode & 0o777).toBe(0o755)
  })

  it('fails for an S3 store that does not answer', async () => {
    const store = {
      BOWLINE_S3_ENDPOINT: 'http://127.0.0.1:1',
      BOWLINE_S3_BUCKET: 'recordings',
      BOWLINE_S3_ACCESS_KEY_ID: 'k',
      BOWLINE_S3_SECRET_ACCESS_KEY: 's',
    }
    expect(await findingOf('S3 store', store)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('The bucket recordings at'),
    })
  })

  it.skipIf(redisMissing())('says whether Redis takes part (needs the package redis-server)', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.kill())
    const where = `127.0.0.1 port ${redis.port}`
    const found = (url: string) => findingOf('Redis', { BOWLINE_REDIS_URL: url })
    expect(await found(redis.url())).toEqual({ status: 'ok', message: `${where} answers and counts.` })
    expect(await found(redis.url('wrong'))).toEqual({
      status: 'fail',
      message: `Redis at ${where} refuses this server: WRONGPASS invalid username-password pair or user is disabled.`,
    })
    await redis.command('CONFIG SET maxmemory 1')
    expect(await found(redis.url())).toMatchObject({ status: 'warn', message: expect.stringContaining('OOM') })
    await redis.kill()
    expect(await found(redis.url())).toEqual({ status: 'warn', message: `${where} does not answer.` })
  })
})
