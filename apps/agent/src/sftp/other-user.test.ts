import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { OPEN, STATUS } from '@bowline/sftp/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemAccount, type Account } from '../login/account.ts'
import { fakeAuthority, run, startAgent, type AgentUnderTest } from '../testing.ts'
import { makeUser, needsRoot, type TemporaryUser } from '../testing-users.ts'
import { type Client, NO_ATTRIBUTES } from '@bowline/sftp/testing/client'
import { openFiles } from './testing.ts'

needsRoot()

let user: TemporaryUser
let account: Account
let agent: AgentUnderTest
let folder: string
let client: Client
let pid: number

beforeAll(async () => {
  if (process.getuid?.() !== 0) return
  user = makeUser('*')
  account = await accountOf(user)
  agent = startAgent({ authority: fakeAuthority(account) })
  folder = mkdtempSync('/tmp/bowline-sftp-')
  chmodSync(folder, 0o755)
  client = await start(agent)
  pid = Number(agent.log.findLast((line) => line['ev'] === 'session.started')?.['pid'])
})
afterAll(() => {
  if (folder) rmSync(folder, { recursive: true })
  user?.remove()
})

async function accountOf({ name }: TemporaryUser): Promise<Account> {
  const found = await systemAccount(name)
  if (!found) throw new Error('the user has just been made')
  return found
}

async function start({ gateway }: AgentUnderTest): Promise<Client> {
  const files = await openFiles(gateway)
  await files.client.start()
  return files.client
}

const at = (name: string): Buffer => Buffer.from(join(folder, name))
const write = (path: Buffer) => ({ type: 'open', path, flags: OPEN.write | OPEN.create, ...NO_ATTRIBUTES }) as const

describe("the process that serves another user's files", () => {
  test('runs the file server without any privilege of root in any thread', () => {
    const threads = readdirSync(`/proc/${pid}/task`)
    expect(threads.length).toBeGreaterThan(1)
    const { uid, gid } = account
    const groups = [gid, user.group.id].toSorted((a, b) => a - b).join(' ')
    for (const thread of threads) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
      const of = (name: string) => new RegExp(`^${name}:\t(.*?) ?$`, 'm').exec(status)?.[1]
      expect(of('Uid')).toBe(Array(4).fill(uid).join('\t'))
      expect(of('Gid')).toBe(Array(4).fill(gid).join('\t'))
      expect(of('Groups')).toBe(groups)
      expect([of('CapPrm'), of('CapEff')]).toEqual(Array(2).fill('0'.repeat(16)))
    }
  })

  test('gives the file server only pipes and Node’s own descriptors', () => {
    const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    expect(targets.filter((target) => !/^(?:pipe:|anon_inode:|\/dev\/null$)/.test(target))).toEqual([])
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('BOWLINE_')
  })

  test('keeps the file server inspectable by root only', async () => {
    const { stdout } = await run(agent.gateway, `cat /proc/${pid}/maps /proc/${pid}/environ 2>&1 | grep -c denied`)
    expect(stdout).toBe('2\n')
  })

  test('starts the file server in the home directory', async () => {
    const path = Buffer.from('.')
    expect(await client.ask({ type: 'realpath', path })).toMatchObject({ names: [{ name: Buffer.from(user.home) }] })
  })

  test('creates files owned by the user', async () => {
    await client.handle(write(Buffer.from('mine')))
    await client.ask({ type: 'mkdir', path: Buffer.from('sub'), ...NO_ATTRIBUTES })
    await client.ask({ type: 'symlink', target: Buffer.from('mine'), path: Buffer.from('link') })
    for (const name of ['mine', 'sub', 'link']) {
      const { uid, gid } = statSync(join(user.home, name))
      expect([uid, gid]).toEqual([account.uid, account.gid])
    }
    expect(statSync(join(user.home, 'mine')).mode & 0o777).toBe(0o666 & ~process.umask())
  })
})

describe('permissions of the user', () => {
  test('grants access by a supplementary group', async () => {
    mkdirSync(at('shared'))
    chownSync(at('shared'), 0, user.group.id)
    chmodSync(at('shared'), 0o2770)
    await client.handle(write(at('shared/by-group')))
    const { uid, gid } = statSync(at('shared/by-group'))
    expect([uid, gid]).toEqual([account.uid, user.group.id])
    expect((await client.list(at('shared'))).flat().map(String)).toContain('by-group')
  })

  test('denies what the user may not do, although root may', async () => {
    mkdirSync(at('private'), { mode: 0o700 })
    writeFileSync(at('private/secret'), 'secret')
    writeFileSync(at('readable'), 'text', { mode: 0o644 })
    const denied = await Promise.all(
      (
        [
          { type: 'open', path: Buffer.from('/etc/shadow'), flags: OPEN.read, ...NO_ATTRIBUTES },
          { type: 'open', path: at('private/secret'), flags: OPEN.read, ...NO_ATTRIBUTES },
          { type: 'opendir', path: at('private') },
          { type: 'stat', path: at('private/secret') },
          write(at('readable')),
          write(at('new')),
          { type: 'remove', path: at('readable') },
          { type: 'setstat', path: at('readable'), attributes: { permissions: 0o777 } },
          { type: 'setstat', path: Buffer.from('mine'), attributes: { owner: { uid: 0, gid: 0 } } },
          { type: 'hardlink@openssh.com', from: Buffer.from('/etc/shadow'), to: Buffer.from('shadow') },
        ] as const
      ).map((request) => client.status(request)),
    )
    expect(denied).toEqual(Array(10).fill(STATUS.permissionDenied))
  })

  test('refuses file transfer to a user with a restricted shell', async () => {
    user.change('usermod', '--shell', '/usr/sbin/nologin')
    const { gateway } = startAgent({ authority: fakeAuthority(await accountOf(user)) })
    const { session } = await openFiles(gateway)
    const message = `the shell of ${user.name} does not allow file transfer`
    expect(await session.whenClosed()).toMatchObject({ by: 'agent', reason: 'shell', message })
    user.change('usermod', '--shell', '/bin/bash')
  })
})
