// Port, socket, agent and X11 forwarding with this machine's ssh: through Bowline to an agent with system accounts, and
// through a plain sshd next to it, with the same results.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { operations } from '@bowline/contract/operations'
import { connectThroughSocks } from '@bowline/testkit/clients/socks'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { cleanups } from './support/cleanup.ts'
import { answers, canMakeDevices, type Device, makeDevice } from './support/device.ts'
import { freePort } from '@bowline/testkit/free-port'
import { type Server, startServer } from './support/server.ts'
import { finish, type SshTarget, shareConnection, ssh, startSsh } from './support/ssh.ts'
import { showOnFailure } from './support/failure-output.ts'
import { until } from './support/wait.ts'

const undo = cleanups()
const skips = !canMakeDevices && process.env['CI'] !== 'true'
let server: Server
let device: Device
const targets: Record<string, SshTarget> = {}
let folder: string
let echo: NetServer
let echoPort: number
const running = new Set<ChildProcess>()

beforeEach((context) => context.skip(skips, 'needs root, for a device with accounts of its own'))
beforeAll(async () => {
  if (skips) return
  folder = mkdtempSync(join(tmpdir(), 'bowline-fw-'))
  undo(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  server = await startServer()
  undo(() => server.remove())
  device = makeDevice()
  undo(() => device.remove())
  targets['Bowline'] = await device.startAgent(server, 'forwards')
  targets['sshd'] = await device.startSshd()
  echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  undo(() => void echo.close())
  await once(echo, 'listening')
  const address = echo.address()
  echoPort = typeof address === 'object' && address ? address.port : 0
})
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
showOnFailure(() => ({ server: server?.process, ...device?.programs }))

function targetOf(name: string): SshTarget {
  const target = targets[name]
  if (!target) throw new Error(`there is no ${name}`)
  return target
}

/** Sends data through a socket and returns the reply. */
async function roundTrip(where: { port: number } | { path: string }): Promise<string> {
  const socket = connect(where)
  socket.end('there and back')
  let received = ''
  socket.on('data', (chunk) => (received += String(chunk)))
  // A refused or reset connection yields what it received so far.
  socket.on('error', () => undefined)
  await once(socket, 'close').catch(() => undefined)
  return received
}

/** Starts ssh without a command and waits for an output or an effect. */
async function forwarding(target: SshTarget, options: string[], ready: (output: string) => unknown): Promise<string> {
  const child = startSsh(target, [], ['-N', ...options, '-o', 'ExitOnForwardFailure=yes', '-o', 'LogLevel=INFO'])
  running.add(child)
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  let ended = false
  child.on('close', () => (ended = true))
  await until('ssh forwards', async () => {
    if (await ready(output)) return true
    if (ended) throw new Error(`ssh ended: ${output}`)
    return false
  })
  return output
}

/** Fails like `ssh` does when a forward is refused. */
async function refusedForward(target: SshTarget, options: string[]): Promise<string> {
  const { code, stderr } = await ssh(target, [], {
    options: ['-N', '-v', '-o', 'ExitOnForwardFailure=yes', ...options],
  })
  expect(code).toBe(255)
  return stderr
}

describe.each(['Bowline', 'sshd'])('through %s', (name) => {
  const target = () => targetOf(name)

  it('forwards a port of the device to this machine (-R), on loopback only, until ssh exits', async () => {
    const port = await freePort()
    await forwarding(target(), ['-R', `0.0.0.0:${port}:127.0.0.1:${echoPort}`], () => answers(port))
    expect(await roundTrip({ port })).toBe('there and back')
    const hex = port.toString(16).toUpperCase().padStart(4, '0')
    expect(readFileSync('/proc/net/tcp', 'utf8')).toContain(`0100007F:${hex} 00000000:0000 0A`)
    expect(readFileSync('/proc/net/tcp', 'utf8')).not.toContain(` 00000000:${hex} `)
    for (const child of running) child.kill('SIGTERM')
    await until('the port is closed', async () => !(await answers(port)))
  })

  it('reports a port chosen by the device, and releases it alone', async () => {
    const socket = join(folder, `${name}-master`)
    const shared = await shareConnection(target(), socket)
    onTestFinished(() => shared.close().then(() => undefined))
    const control = (word: string, forward: string) =>
      execFileSync('ssh', ['-F', 'none', '-S', socket, '-O', word, '-R', forward, 'x'], { encoding: 'utf8' })
    const port = Number(control('forward', `0:127.0.0.1:${echoPort}`))
    const other = Number(control('forward', `0:localhost:${echoPort}`))
    expect(await roundTrip({ port })).toBe('there and back')
    control('cancel', `0:127.0.0.1:${echoPort}`)
    await until('the port is closed', async () => !(await answers(port)))
    expect(await roundTrip({ port: other })).toBe('there and back')
    await shared.close()
    await until('the other port is closed too', async () => !(await answers(other)))
  })

  it('has the requested port ready for the command of the same ssh', async () => {
    const port = await freePort()
    const command = `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port})); print("there")'`
    const { stdout } = await ssh(target(), [command], { options: ['-R', `${port}:127.0.0.1:${echoPort}`] })
    expect(stdout.toString()).toBe('there\n')
  })

  it('refuses a port that is taken or privileged', async () => {
    // sshd accepts a port that is free in only one of IPv4 and IPv6.
    const both = createServer().listen(0, '::')
    onTestFinished(() => void both.close())
    await once(both, 'listening')
    const address = both.address()
    const taken = typeof address === 'object' && address ? address.port : 0
    expect(await refusedForward(target(), ['-R', `${taken}:127.0.0.1:1`])).toContain('remote port forwarding failed')
    expect(await refusedForward(target(), ['-R', '101:127.0.0.1:1'])).toContain('remote port forwarding failed')
  })

  it('forwards a socket of the device to this machine (-R), accessible to its user alone', async () => {
    const path = join(device.account.home, `${name}.sock`)
    await forwarding(target(), ['-R', `${path}:127.0.0.1:${echoPort}`], () => existsSync(path))
    expect(await roundTrip({ path })).toBe('there and back')
    const { uid, mode } = statSync(path)
    expect([uid, mode & 0o777]).toEqual([device.account.uid, 0o600])
  })

  it('refuses a socket where the user may not create one, and over an existing file', async () => {
    const file = join(device.account.home, `${name}.txt`)
    writeFileSync(file, 'precious')
    await refusedForward(target(), ['-R', `${file}:127.0.0.1:1`])
    expect(readFileSync(file, 'utf8')).toBe('precious')
    await refusedForward(target(), ['-R', `${join(device.folder, 'not-yours')}:127.0.0.1:1`])
    expect(existsSync(join(device.folder, 'not-yours'))).toBe(false)
  })

  it('connects to ports and sockets that the user can reach (-L, -W, -D), and to no others', async () => {
    const [tcp, unix, closed, socks] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
    const mine = join(folder, `${name}-open.sock`)
    const theirs = join(folder, `${name}-closed.sock`)
    const listeners = [mine, theirs].map((path) => createServer((socket) => socket.pipe(socket)).listen(path))
    onTestFinished(() => {
      for (const one of listeners) one.close()
    })
    await Promise.all(listeners.map((one) => once(one, 'listening')))
    chmodSync(mine, 0o777)
    chmodSync(theirs, 0o700)
    const local = ['-L', `${tcp}:127.0.0.1:${echoPort}`, '-L', `${unix}:${mine}`, '-L', `${closed}:${theirs}`]
    await forwarding(target(), [...local, '-D', String(socks)], () => answers(socks))
    expect(await roundTrip({ port: tcp })).toBe('there and back')
    expect(await roundTrip({ port: unix })).toBe('there and back')
    expect(await roundTrip({ port: closed })).toBe('')
    const proxy = ['--socks5-hostname', `127.0.0.1:${socks}`]
    const status = execFileSync('curl', [
      '-s',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      ...proxy,
      `${server.origin}/info`,
    ])
    expect(status.toString()).toBe('200')
    const stdio = await ssh(target(), [], { options: ['-W', `127.0.0.1:${echoPort}`], input: 'over stdio' })
    expect([stdio.stdout.toString(), stdio.code]).toEqual(['over stdio', 0])
  })

  it('transfers half a megabyte both ways on forty connections at once (-L, -D)', async () => {
    const [near, proxy] = [await freePort(), await freePort()]
    await forwarding(target(), ['-L', `${near}:127.0.0.1:${echoPort}`, '-D', String(proxy)], () => answers(near))
    const content = randomBytes(500_000)
    const wrong = Array.from({ length: 40 }, async (_, index) => {
      const socket = index % 2 === 0 ? connect(near, '127.0.0.1') : await connectThroughSocks(proxy, echoPort)
      socket.end(content)
      return !(await buffer(socket)).equals(content)
    })
    expect((await Promise.all(wrong)).filter(Boolean)).toEqual([])
  })

  it('reaches another host through the device (-J)', async () => {
    const { sshd } = targets
    const jump = target()
    const wrapper = join(folder, `${name}-config`)
    writeFileSync(
      wrapper,
      `Host jump\n Hostname ${jump.host}\n Port ${jump.port}\n User ${jump.login}\nHost *\n StrictHostKeyChecking no\n` +
        ' UserKnownHostsFile /dev/null\n LogLevel ERROR\n KbdInteractiveAuthentication no\n PubkeyAuthentication no\n',
    )
    // Both ask for the same password; sshpass answers only the first prompt, so use SSH_ASKPASS.
    const askpass = join(folder, `${name}-askpass`)
    writeFileSync(askpass, `#!/bin/sh\necho '${jump.password}'\n`, { mode: 0o755 })
    const child = spawn(
      'setsid',
      [
        '--wait',
        'ssh',
        '-F',
        wrapper,
        '-J',
        'jump',
        '-p',
        String(sshd?.port),
        `${sshd?.login}@127.0.0.1`,
        'echo far away',
      ],
      { env: { PATH: process.env['PATH'] ?? '', SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' } },
    )
    running.add(child)
    const { stdout, stderr } = await finish(child)
    expect([stdout.toString(), stderr]).toEqual(['far away\n', ''])
  })

  it('forwards the ssh agent for the length of the connection, in a folder of the user alone (-A)', async () => {
    const sock = join(folder, `${name}-agent`)
    const key = join(folder, `${name}-key`)
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'my key', '-f', key])
    const agent = spawn('ssh-agent', ['-D', '-a', sock])
    running.add(agent)
    await until('the agent is there', () => existsSync(sock))
    const env = { ...process.env, SSH_AUTH_SOCK: sock }
    execFileSync('ssh-add', ['-q', key], { env })
    const command = 'ssh-add -l; dirname "$SSH_AUTH_SOCK"; stat -c "%a %U" "$(dirname "$SSH_AUTH_SOCK")"'
    const { stdout } = await ssh(target(), [command], { options: ['-A', '-o', `IdentityAgent=${sock}`] })
    const [identity, socketFolder = '', rights] = stdout.toString().split('\n')
    expect(identity).toBe(execFileSync('ssh-add', ['-l'], { env, encoding: 'utf8' }).trim())
    expect(rights).toBe('700 walter')
    await until('the folder is gone', () => !existsSync(socketFolder))
    const without = await ssh(target(), ['echo "[$SSH_AUTH_SOCK]"'], { options: ['-a'] })
    expect(without.stdout.toString()).toBe('[]\n')
  })

  it('forwards X11 from a program on the device, with the cookie of the session (-Y)', async () => {
    const display = await fakeDisplay()
    const command = `xauth list "$DISPLAY"; echo "$DISPLAY"; python3 -c '${X_CLIENT}'`
    const result = await ssh(target(), [command], { options: ['-Y', ...display.options], env: display.env })
    expect(result.stderr).toBe('')
    expect(result.stdout.toString()).toMatch(
      /unix:\d+ +MIT-MAGIC-COOKIE-1 +[0-9a-f]{32}\nlocalhost:\d\d\.0\ncome in\n$/,
    )
    expect(display.seen).toEqual([display.cookie])
    // ssh itself rejects connections with another cookie.
    const wrong = await ssh(target(), [`python3 -c '${X_CLIENT}' 00`], {
      options: ['-Y', ...display.options],
      env: display.env,
    })
    expect(wrong.stdout.toString()).not.toContain('come in')
    expect(display.seen).toEqual([display.cookie])
  })
})

/** Connects to the display with its cookie, or a given one, and prints the first bytes of the reply. */
const X_CLIENT = `
import os, socket, struct, subprocess, sys
d = os.environ["DISPLAY"]
n = int(d.split(":")[1].split(".")[0])
out = subprocess.run(["xauth", "list", d], capture_output=True, text=True).stdout.split()
cookie = bytes(16) if len(sys.argv) > 1 else bytes.fromhex(out[2])
s = socket.create_connection(("localhost", 6000 + n))
s.sendall(struct.pack("<BxHHHHxx", 0x6c, 11, 0, 18, 16) + b"MIT-MAGIC-COOKIE-1" + b"\\0\\0" + cookie)
print(s.recv(100).decode())
`

interface FakeDisplay {
  readonly env: NodeJS.ProcessEnv
  readonly options: string[]
  readonly cookie: string
  /** Cookies that clients presented. */
  readonly seen: string[]
}

/** An X server up to its connection set-up, for one test. */
async function fakeDisplay(): Promise<FakeDisplay> {
  const seen: string[] = []
  const cookie = 'c0ffee'.padEnd(32, '0')
  const door = createServer((socket: Socket) => {
    socket.on('data', (bytes: Buffer) => {
      seen.push(bytes.subarray(32, 48).toString('hex'))
      socket.end('come in')
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void door.close())
  await once(door, 'listening')
  const address = door.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const file = join(folder, 'xauthority')
  writeFileSync(file, '')
  const name = `localhost:${port - 6_000}`
  execFileSync('xauth', ['-q', '-f', file, 'add', name, '.', cookie], { stdio: 'pipe' })
  const env = { DISPLAY: `${name}.0`, XAUTHORITY: file }
  return { env, options: [], cookie, seen }
}

describe('through Bowline', () => {
  it('bounds the ports of a client that asks for thousands', async () => {
    const forwards = (count: number) =>
      Array.from({ length: count }, (_, index) => ['-R', `0:127.0.0.1:${10_000 + index}`]).flat()
    const target = targetOf('Bowline')
    const quiet = ['-v', '-o', 'ExitOnForwardFailure=no']
    const refusals = (output: string) => output.match(/remote port forwarding failed/g)?.length
    const output = await forwarding(target, [...quiet, ...forwards(100)], (text) => refusals(text) === 36)
    expect(output.match(/Allocated port/g)?.length).toBe(64)
    expect(output).toContain('at most 64 ports, sockets and displays can be forwarded at once')
    // Whether it sends faster than it is answered decides if the connection is dropped or its command runs.
    const greedy = await ssh(target, ['true'], { options: ['-o', 'LogLevel=INFO', ...forwards(10_000)] })
    expect([0, 255]).toContain(greedy.code)
    expect((await ssh(target, ['echo still here'])).stdout.toString()).toBe('still here\n')
  })
  it('allows no forwarding in a namespace that turns it off, and keeps sessions running', async () => {
    const target = targetOf('Bowline')
    const client = await server.client()
    const setForwarding = (forwarding: boolean) =>
      client.call(operations.namespaces.update, {
        params: { tenant: server.tenant },
        body: { settings: { forwarding } },
      })
    await setForwarding(false)
    const path = join(device.account.home, 'off.sock')
    expect(await refusedForward(target, ['-R', `0:127.0.0.1:${echoPort}`])).toContain('forwarding is switched off')
    expect(await refusedForward(target, ['-R', `${path}:127.0.0.1:${echoPort}`])).toContain(
      'forwarding is switched off',
    )
    // Targets refused by the gateway itself: its own ports, a cloud's metadata service, a socket; the device is not
    // asked.
    const gateway = new URL(server.origin)
    for (const to of [`127.0.0.1:${server.ssh.port}`, gateway.host, '169.254.169.254:80', '[::1]:22']) {
      const { code, stderr } = await ssh(target, [], { options: ['-W', to, '-o', 'LogLevel=INFO'] })
      expect(stderr).toContain('administratively prohibited: Bowline: forwarding is switched off in this namespace.')
      expect(code).toBe(255)
    }
    const port = await freePort()
    await forwarding(target, ['-L', `${port}:/run/docker.sock`], () => answers(port))
    expect(await roundTrip({ port })).toBe('')
    const display = await fakeDisplay()
    const sock = join(folder, 'off-agent')
    const agent = spawn('ssh-agent', ['-D', '-a', sock])
    running.add(agent)
    await until('the agent is there', () => existsSync(sock))
    const options = ['-A', '-Y', '-o', `IdentityAgent=${sock}`, '-o', 'LogLevel=INFO']
    const { stdout, stderr } = await ssh(target, ['echo "[$SSH_AUTH_SOCK$DISPLAY]"'], { options, env: display.env })
    expect(stdout.toString()).toBe('[]\n')
    expect(stderr).toContain('X11 forwarding request failed')
    await setForwarding(true)
    await forwarding(target, ['-R', `${path}:127.0.0.1:${echoPort}`], () => existsSync(path))
  })
})
