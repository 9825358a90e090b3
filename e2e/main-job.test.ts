// The main use case: a stock ssh client gets a shell on a device that dialled out.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { userInfo } from 'node:os'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Product, startProduct } from './support/product.ts'
import { finish, SHOWN, ssh, type SshTarget, startSsh } from './support/ssh.ts'
import { until } from './support/wait.ts'

let product: Product
let target: SshTarget
const me = userInfo().username

beforeAll(async () => {
  product = await startProduct()
  target = { ...product.ssh, login: `${me}@${product.sshid}`, password: product.device_password }
})
afterAll(() => product.stop())

async function sessions() {
  const { call } = await product.client()
  const { body } = await call(operations.sessions.list, { query: { per_page: '100' } })
  return body
}

describe('what npm start prints', () => {
  it('prints an ssh command that works', async () => {
    expect(product.ssh_command).toBe(`ssh -p ${product.ssh.port} ${me}@${product.sshid}@${product.ssh.host}`)
    const { code, stdout } = await ssh(target, ['id -un; echo $((6*7))'])
    expect(stdout.toString()).toBe(`${me}\n42\n`)
    expect(code).toBe(0)
  })

  it('serves the printed sign-in, console and documentation', async () => {
    const { call } = await product.client()
    expect((await call(operations.auth.getUser, {})).body.tenant).toBe(product.tenant)
    const page = await fetch(product.console, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<div id="root">')
  })
})

describe('a command', () => {
  it.each([0, 1, 7, 127, 255])('returns the exit code %d of a command', async (status) => {
    expect((await ssh(target, [`exit ${status}`])).code).toBe(status)
  })

  it('keeps stdout and stderr of a command apart', async () => {
    const { stdout, stderr } = await ssh(target, ['echo out; echo err >&2'])
    expect([stdout.toString(), stderr]).toEqual(['out\n', 'err\n'])
  })

  it('delivers stderr and exit code of a command that closed its stdout', async () => {
    const { code, stdout, stderr } = await ssh(target, ['echo out; exec >&-; echo late >&2; exit 5'])
    expect([code, stdout.toString(), stderr]).toEqual([5, 'out\n', 'late\n'])
  })

  it('ends a command when nobody reads its output any more', async () => {
    const mark = `bowline-${Date.now()}`
    const child = startSsh(target, [`yes ${mark}`])
    await once(child.stdout, 'data')
    child.stdout.destroy()
    await once(child, 'close')
    const running = async () => (await ssh(target, [`pgrep -fc '^yes ${mark}' || true`])).stdout.toString().trim()
    expect(await until('the process is gone', async () => (await running()) === '0')).toBe(true)
  })

  it('exits with the shell’s code when a program cannot be found or run', async () => {
    const missing = await ssh(target, ['no-such-program'])
    expect([missing.code, missing.stdout.toString()]).toEqual([127, ''])
    expect(missing.stderr).toMatch(/not found/)
    expect((await ssh(target, ['/etc/passwd'])).code).toBe(126)
  })

  it('delivers the input of a command to its end', async () => {
    const { stdout } = await ssh(target, ['wc -c'], { input: Buffer.alloc(300_000, 'x') })
    expect(stdout.toString().trim()).toBe('300000')
  })

  it('delivers output after the input has ended', async () => {
    const { stdout } = await ssh(target, ['cat; echo after'], { input: 'before\n' })
    expect(stdout.toString()).toBe('before\nafter\n')
  })

  it('passes a command on exactly as typed', async () => {
    const text = `it's "quoted" $HOME \\ * ü 漢字 🚀`
    const { stdout } = await ssh(target, ['printf', '%s', `'${text.replaceAll("'", String.raw`'\''`)}'`])
    expect(stdout.toString()).toBe(text)
  })

  it('reports the signal that ended a command', async () => {
    const { code, stderr } = await ssh(target, ['kill -TERM $$'])
    expect(code).toBe(255)
    expect(stderr).toBe('')
  })

  it('passes LANG from the client and nothing from the server’s environment', async () => {
    const { stdout } = await ssh(target, ['env'], {
      options: ['-o', 'SendEnv=LANG', '-o', 'SetEnv=LD_PRELOAD=/x EVIL=1'],
    })
    const env = stdout.toString().split('\n')
    expect(env).toContain('LANG=C.UTF-8')
    expect(env.filter((line) => /^(BOWLINE_|LD_PRELOAD|EVIL)/.test(line))).toEqual([])
    expect(env.some((line) => line.startsWith('SSH_CONNECTION=127.0.0.1 '))).toBe(true)
  })

  it('keeps a command and its children running without the connection, as sshd does', async () => {
    const mark = `3${Date.now()}`
    const child = startSsh(target, [`sleep ${mark} & sleep ${mark}; wait`])
    const done = finish(child)
    const running = async () => {
      const { stdout } = await ssh(target, [`pgrep -fc '^sleep ${mark}' || true`])
      return Number(stdout.toString().trim())
    }
    onTestFinished(async () => void (await ssh(target, [`pkill -f '^sleep ${mark}'`])))
    await until('both processes run', async () => (await running()) === 2)
    child.kill('SIGKILL')
    await done
    await until('the session is closed', async () =>
      (await sessions()).every((one) => one.closed || !one.authenticated),
    )
    expect(await running()).toBe(2)
  })
})

describe('a shell', () => {
  it('starts a login shell with the terminal’s size and name', async () => {
    const { stdout, code } = await ssh(target, [], {
      input: 'stty size; echo "$TERM"; test -t 0 && echo terminal; echo "shell: $0"; exit 3\n',
      options: ['-tt'],
    })
    const text = stdout.toString()
    expect(text).toContain('xterm-256color')
    expect(text).toMatch(/^terminal\r$/m)
    expect(text).toMatch(/^shell: -/m)
    expect(code).toBe(3)
  })

  it('runs piped input in a shell without a terminal', async () => {
    const { stdout, code } = await ssh(target, [], { input: 'echo one\necho two\nexit 4\n', options: ['-T'] })
    expect(stdout.toString()).toContain('one\ntwo\n')
    expect(code).toBe(4)
  })
})

describe('who may come in', () => {
  it('connects by the uid of the device too', async () => {
    const { call } = await product.client()
    const { body } = await call(operations.devices.list, {})
    const { stdout } = await ssh({ ...target, login: `${me}@${body[0]?.uid}` }, ['echo by uid'])
    expect(stdout.toString()).toBe('by uid\n')
  })

  it('refuses a wrong password, which leaves a failed session in the list', async () => {
    const { code, stderr } = await ssh({ ...target, password: 'wrong' }, ['true'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/Permission denied/)
    await until('the failed login is closed in the list', async () =>
      (await sessions()).some((one) => !one.authenticated && one.closed?.reason === 'login-failed'),
    )
  })

  it('refuses a device that does not exist with the text of a wrong password', async () => {
    const { code, stderr } = await ssh({ ...target, login: `${me}@${product.sshid}x` }, ['true'], { options: SHOWN })
    expect(code).toBe(255)
    expect(stderr).toMatch(/the password was not accepted, or the device cannot be reached/)
  })

  it('refuses a name that is not a device address with a text that shows the form', async () => {
    const { code, stderr } = await ssh({ ...target, login: me }, ['true'])
    expect(code).toBe(255)
    expect(stderr).toMatch(/user@namespace\.device/)
  })
})

describe('the list of sessions', () => {
  it('closes every session with its cause, and keeps what ran', async () => {
    await ssh(target, ['echo listed'])
    const closed = await until('nothing is active', async () => {
      const all = await sessions()
      return all.every((one) => one.closed && !one.active) && all
    })
    const latest = closed.find((one) => one.authenticated)
    expect(latest).toMatchObject({ username: me, ip_address: '127.0.0.1', type: 'term', closed: { by: 'user' } })
    expect(latest?.events.types).toContain('exec')
    expect(latest?.device?.name).toBe(product.sshid.split('.')[1])
  })
})

describe('an agent that crashes', () => {
  it('restarts an agent that crashed', async () => {
    const agent = async () => Number((await ssh(target, ['echo $PPID'])).stdout.toString())
    const first = await agent()
    process.kill(first, 'SIGKILL')
    expect(await until('another agent answers', async () => (await agent()) || false)).not.toBe(first)
  })
})

describe('a forwarded connection', () => {
  it('dials a forwarded connection from the device, and keeps half-closed connections open', async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      const chunks: Buffer[] = []
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('end', () => socket.end(`heard: ${Buffer.concat(chunks).toString()}`))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const { stdout, code } = await ssh(target, [], { input: 'hello', options: ['-W', `127.0.0.1:${port}`] })
    expect(stdout.toString()).toBe('heard: hello')
    expect(code).toBe(0)
  })

  it('refuses a forward to a closed port with the reason', async () => {
    const options = ['-W', '127.0.0.1:1', '-o', 'LogLevel=INFO']
    const { stderr, code } = await ssh(target, [], { options })
    expect(stderr).toMatch(/open failed: connect failed: .*ECONNREFUSED/)
    expect(code).toBe(255)
  })
})
