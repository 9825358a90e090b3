import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { RecordedStream } from '@bowline/link/testing/pair'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemAccount, type Account } from '../login/account.ts'
import { actingAs } from '../native/identity.ts'
import { until } from '@bowline/testkit/until'
import {
  exec,
  exitOfSession,
  fakeAuthority,
  logIn,
  openSession,
  run,
  startAgent,
  TERMINAL,
  type AgentUnderTest,
} from '../testing.ts'
import { makeUser, needsRoot, type TemporaryUser } from '../testing-users.ts'
import { becoming, shellOf, type Tools } from './become.ts'

needsRoot()

let user: TemporaryUser
let account: Account
let agent: AgentUnderTest

beforeAll(async () => {
  if (process.getuid?.() !== 0) return
  user = makeUser('*')
  const found = await systemAccount(user.name)
  if (!found) throw new Error('the user has just been made')
  account = found
  agent = startAgent({ authority: fakeAuthority(account) })
})
afterAll(() => user?.remove())

const CREDENTIALS = 'id -u; id -g; id -G; grep -E "^(Uid|Gid|CapEff|CapPrm):" /proc/self/status'

function expectCredentials(lines: readonly string[]): void {
  const [uid, gid] = [String(account.uid), String(account.gid)]
  expect(lines.slice(0, 2)).toEqual([uid, gid])
  expect(lines[2]?.split(' ').toSorted()).toEqual([gid, String(user.group.id)].toSorted())
  expect(lines[3]).toBe(`Uid:\t${[uid, uid, uid, uid].join('\t')}`)
  expect(lines[4]).toBe(`Gid:\t${[gid, gid, gid, gid].join('\t')}`)
  expect(lines.slice(5)).toEqual(['CapPrm:\t0000000000000000', 'CapEff:\t0000000000000000'])
}

describe('a process of another user', () => {
  test('gives a process exactly the permissions and groups of its user', async () => {
    const { stdout, exit } = await run(agent.gateway, CREDENTIALS)
    expect(exit).toEqual({ type: 'exit', status: 0 })
    expectCredentials(stdout.trim().split('\n'))
  })

  test('starts in the home directory with its own environment', async () => {
    const { stdout } = await run(
      agent.gateway,
      'pwd; echo $HOME $USER $LOGNAME $SHELL $SSH_CONNECTION; test -w .; echo $?',
    )
    const expected = `${user.home}\n${user.home} ${user.name} ${user.name} /bin/bash 203.0.113.5 50022 127.0.0.1 22\n0\n`
    expect(stdout).toBe(expected)
  })

  test('starts a login shell that owns its terminal', async () => {
    const login = await logIn(agent.gateway)
    const session = openSession(agent.gateway, login, { pty: TERMINAL })
    session.stream.write(
      Buffer.from('echo "<$0>"; stat -c "%U %G %a" $(tty); shopt login_shell; echo $SHLVL; exit 3\n'),
    )
    expect(await exitOfSession(session)).toEqual({ type: 'exit', status: 3 })
    expect(session.text()).toContain(`<-bash>\r\n${user.name} tty 620\r\nlogin_shell    \ton\r\n1\r\n`)
  })

  test('lets a process open its own outputs by name', async () => {
    const { stdout, stderr } = await run(agent.gateway, 'echo out >/dev/stdout; echo err >/dev/stderr')
    expect([stdout, stderr]).toEqual(['out\n', 'err\n'])
  })

  test('ends the process of another user for an administrator', async () => {
    const login = await logIn(agent.gateway)
    const session = openSession(agent.gateway, login, { run: exec('echo ready; exec sleep 1000') })
    await until(() => session.text() === 'ready\n')
    const ends = () => agent.log.filter(({ ev }) => ev === 'session.ended').length
    const before = ends()
    session.stream.close({ by: 'admin', reason: 'terminated', message: '' })
    await until(() => ends() > before)
    expect(agent.errors).toEqual([])
  })

  test('keeps a process out of a directory that only root can enter', async () => {
    const private_ = { ...account, home: '/root' }
    const { gateway } = startAgent({ authority: fakeAuthority(private_) })
    expect((await run(gateway, 'pwd')).stdout).toBe('/\n')
  })

  test.each([
    ['without setpriv', { bash: '/bin/bash' }],
    ['without bash', { setpriv: '/usr/bin/setpriv' }],
  ] satisfies [string, Tools][])('starts the same login shell %s', async (_name, tools) => {
    const command = becoming(account, shellOf({ ...account, shell: '/bin/sh' }, undefined), true, tools, '')
    expect(command.path).toBe(process.execPath)
    const { gateway } = startAgent()
    const line = command.argv.map((argument) => `'${String(argument).replaceAll("'", `'\\''`)}'`).slice(1)
    const { stdout, stderr } = await run(gateway, `${command.path} ${line.join(' ')}`, {}, `echo $0; ${CREDENTIALS}\n`)
    expect(stderr).toBe('')
    const [argv0, ...lines] = stdout.trim().split('\n')
    expect(argv0).toBe('-sh')
    expectCredentials(lines)
  })
})

describe('acting as another user', () => {
  test('takes effect for the call only, also when it throws', () => {
    expect(actingAs(account, () => [process.geteuid?.(), process.getegid?.(), process.getuid?.()])).toEqual([
      account.uid,
      account.gid,
      0,
    ])
    const groups = process.getgroups?.()
    expect(() =>
      actingAs(account, () => {
        throw new Error('inside')
      }),
    ).toThrow('inside')
    expect([process.geteuid?.(), process.getegid?.(), process.getgroups?.()]).toEqual([0, 0, groups])
  })
})

describe('a unix socket of the device', () => {
  let server: Server
  let folder: string
  const path = () => join(folder, 'socket')

  beforeAll(async () => {
    if (process.getuid?.() !== 0) return
    folder = mkdtempSync('/tmp/bowline-dial-')
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('data', (bytes) => socket.write(bytes))
      socket.on('end', () => socket.end('bye'))
    })
    await new Promise<void>((resolve) => server.listen(path(), resolve))
  })
  afterAll(() => {
    server?.close()
    if (folder) rmSync(folder, { recursive: true })
  })

  async function dial() {
    const login = await logIn(agent.gateway)
    const stream = RecordedStream.open(agent.gateway, 'dial', { login: login.stream?.id, target: { path: path() } })
    stream.stream.write(Buffer.from('hello'))
    stream.stream.eof()
    return { stream, cause: await stream.whenClosed() }
  }

  test('opens for a user who may use it, and half-closes both ways', async () => {
    chmodSync(folder, 0o711)
    chownSync(path(), account.uid, account.gid)
    const { stream, cause } = await dial()
    expect(stream.messages).toEqual([{ type: 'connected' }])
    expect(stream.text()).toBe('hellobye')
    expect(stream.events.filter((event) => event === 'eof')).toEqual(['eof'])
    expect(cause.reason).toBe('done')
  })

  test('refuses a unix socket to a user without permission, although root has it', async () => {
    chownSync(path(), 0, 0)
    chmodSync(path(), 0o600)
    const { stream, cause } = await dial()
    expect(cause).toMatchObject({ by: 'agent', reason: 'connect-failed' })
    expect(stream.messages).toEqual([])
  })
})

describe('a signal from the client', () => {
  test('does not reach a setuid program with the ids of root in the same process group', async () => {
    const folder = mkdtempSync('/tmp/bowline-setuid-')
    const inside = (name: string): string => join(folder, name)
    const [program, go, done] = [inside('rooted'), inside('go'), inside('done')]
    copyFileSync(realpathSync('/usr/bin/python3'), program)
    chmodSync(folder, 0o755)
    chmodSync(program, 0o4755)
    const code = `import os,time
os.setresuid(0,0,0)
print(os.getpid(),flush=True)
while not os.path.exists("${go}"): time.sleep(.01)
open("${done}","w")`
    const login = await logIn(agent.gateway)
    const session = openSession(agent.gateway, login, { run: exec(`${program} -c '${code}' & wait`) })
    await until(() => session.text().endsWith('\n'))
    const pid = Number(session.text())
    const parent = parentOf(pid)
    session.stream.control({ type: 'signal', name: 'KILL' }, 'overtaking')
    // The user's shell is killed by it: its child is reparented.
    await until(() => parentOf(pid) !== parent)
    writeFileSync(go, '')
    await until(() => existsSync(done) || parentOf(pid) === undefined)
    expect(existsSync(done)).toBe(true)
    expect(await exitOfSession(session)).toMatchObject({ type: 'exit-signal', signal: 'KILL' })
    rmSync(folder, { recursive: true })
  })
})

/** Undefined when there is no such process. */
function parentOf(pid: number): string | undefined {
  try {
    return /^PPid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}
