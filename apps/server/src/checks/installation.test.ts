// Findings of `bowline doctor` about an installation that runs: its rows, its key, its clock and its machine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { commandLine } from '../cli/testing.ts'
import { readConfig } from '../config.ts'
import { VERSION } from '../platform/version.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../testing/boot.ts'
import { checkEverything } from './all.ts'
import { existingFiles } from './existing-files.ts'
import type { Finding } from './finding.ts'
import { checkBundles, checkFiles } from './host.ts'

let folder: string
let server: BootedServer
let person: Person
let right: Record<string, string>
beforeAll(async () => {
  // Each run connects without signing in, which the server counts.
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  person = await server.setUpAccount()
  folder = await mkdtemp(join(tmpdir(), 'bowline-doctor-'))
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
async function findingOf(name: string, changes: Record<string, string> = {}, now = Date.now()) {
  const findings = await checkEverything({ ...right, ...changes }, now)
  const found = findings.find(({ check }) => check === name)
  if (!found) throw new Error(`not checked: ${name}; ${JSON.stringify(findings)}`)
  return found
}
const warning = (message: string): Partial<Finding> => ({ status: 'warn', message: expect.stringContaining(message) })

describe('an installation that runs', () => {
  it('has a key that opens its secrets, and not another one', async () => {
    expect(await findingOf('secret key')).toMatchObject({ status: 'ok' })
    const other = await findingOf('secret key', { BOWLINE_SECRET_KEY: '0'.repeat(64) })
    expect(other).toMatchObject({ status: 'fail', message: expect.stringContaining('another secret key') })
    expect(other.message).not.toContain('0'.repeat(64))
  })

  it('warns about a clock that is far from the database’s', async () => {
    expect(await findingOf('clock')).toMatchObject({ status: 'ok' })
    expect(await findingOf('clock', {}, Date.now() + 90_000)).toMatchObject(warning('ahead of the database'))
    expect(await findingOf('clock', {}, Date.now() - 90_000)).toMatchObject(warning('behind the database'))
    expect((await findingOf('latency')).message).toMatch(/^A statement takes \d/)
  })

  it('names linked devices whose agent is of another version, and proxies that hide their addresses', async () => {
    const devices = [await server.acceptedDevice(person), await server.acceptedDevice(person)]
    const uids = devices.map(({ uid }) => uid)
    const link = (version: string, remote_addr: string) =>
      server.database
        .system()
        .updateTable('devices')
        .set({ disconnected_at: null, remote_addr, info: { version } })
        .where('uid', 'in', uids)
        .execute()
    await link(VERSION, '192.0.2.1')
    const proxies = { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }
    expect(await findingOf('agents')).toMatchObject({ status: 'ok' })
    expect(await findingOf('trusted proxies', proxies)).toMatchObject({ status: 'ok' })
    await link('v0.0.1', '127.0.0.1')
    expect(await findingOf('agents')).toMatchObject(warning('2 with v0.0.1'))
    expect(await findingOf('trusted proxies', proxies)).toMatchObject(warning('2 devices seem to be at 127.0.0.1'))
  })
})

describe('the public address', () => {
  it('is answered by this server', async () => {
    const { message, status } = await findingOf('public address', { BOWLINE_PUBLIC_URL: server.origin })
    expect([status, message]).toEqual(['ok', `A Bowline server answers at ${server.origin}.`])
  })

  it('leads to another program', async () => {
    const other = createServer((_, response) => response.end('{"hello":1}')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const address = `http://127.0.0.1:${listeningPort(other)}`
    expect(await findingOf('public address', { BOWLINE_PUBLIC_URL: address })).toMatchObject(warning('Something else'))
  })

  it('is not reached', async () => {
    const found = await findingOf('public address', { BOWLINE_PUBLIC_URL: 'http://127.0.0.1:1' })
    expect(found).toMatchObject(warning('ECONNREFUSED'))
  })
})

describe('settings that do not go together', () => {
  it.each([
    ['TLS that ends nowhere', { BOWLINE_PUBLIC_URL: 'https://127.0.0.1' }, 'people seem to come without TLS'],
    ['a name that nobody can reach', { BOWLINE_DOMAIN: 'bowline.invalid' }, 'only this machine can connect'],
    ['a balancer that counts as a stranger', { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }, 'count as strangers'],
  ])('are named: %s', async (_, changes, message) => {
    expect(await findingOf('settings', changes)).toMatchObject(warning(message))
  })
})

describe('the machine', () => {
  it('warns when fewer files may be open than connections', async () => {
    const limits = join(folder, 'limits')
    await writeFile(
      limits,
      'Limit   Soft Limit   Hard Limit   Units\nMax open files            1024                 4096                 files\n',
    )
    const config = await readConfig(right, existingFiles)
    expect(await checkFiles(config, limits)).toMatchObject([warning('4096 may be open at once')])
    const few = { BOWLINE_MAX_HTTP_CONNECTIONS: '100', BOWLINE_MAX_SESSIONS: '100' }
    expect(await checkFiles(await readConfig({ ...right, ...few }, existingFiles), limits)).toMatchObject([
      { status: 'ok' },
    ])
  })

  it('warns when devices cannot get an agent from here', async () => {
    expect(await checkBundles({ bundles: folder, maker: join(folder, 'none') })).toMatchObject([
      warning('none for x64 and arm64'),
    ])
  })
})

describe('bowline doctor', () => {
  it('ends with 3 for warnings alone, with 1 for a failure, and answers to its former name', async () => {
    const warned = await run(['doctor'], '', { ...right, BOWLINE_PUBLIC_URL: 'http://127.0.0.1:1' })
    expect([warned.status, warned.errors]).toEqual([
      3,
      expect.stringMatching(/^bowline: \d+ of \d+ checks ha(s|ve) a warning/),
    ])
    const failed = await run(['check'], '', { ...right, BOWLINE_SECRET_KEY: '0'.repeat(64) })
    expect([failed.status, failed.errors]).toEqual([1, expect.stringMatching(/^bowline: 1 of \d+ checks failed/)])
  })
})
