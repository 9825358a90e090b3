// The device's side of a container, spoken to as the gateway does: with a real engine (podman) and with one that lies.
import { answered, startHostileEngine } from '@bowline/engine/testing/hostile-engine'
import type { Link } from '@bowline/link/api'
import type { SessionOpen } from '@bowline/link/stream-messages'
import { RecordedStream } from '@bowline/link/testing/pair'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CLIENT, linkTo, signIn } from './testing.ts'

const missing = containerEngineMissing()
let real: ContainerEngine
let web: string
beforeAll(async () => {
  if (missing !== undefined) return
  real = await startContainerEngine()
  web = await real.run('web')
})
afterAll(() => real?.close())

async function session(link: Link, user: string, run: SessionOpen['run'], more: Partial<SessionOpen> = {}) {
  const { stream } = await signIn(link, user)
  const open: SessionOpen = { login: stream.id, run, env: [], client: CLIENT, ...more }
  return RecordedStream.open(link, 'session', open)
}

const exec = (command: string): SessionOpen['run'] => ({
  type: 'exec',
  command: Buffer.from(command).toString('base64'),
})

describe.skipIf(missing !== undefined)('a real container', () => {
  it.each([
    ['TERM', 143],
    ['KILL', 137],
    ['HUP', 129],
  ])('ends a process by the signal %s', async (name, status) => {
    const process = await session(linkTo(real.port, web), 'ada', exec('echo ready; sleep 1000000'))
    await until(() => process.text() === 'ready\n')
    process.stream.control({ type: 'signal', name })
    await process.whenClosed()
    expect(process.messages).toEqual([{ type: 'started' }, { type: 'exit', status }])
  })

  it('delivers a signal that the process handles, and no name that is none', async () => {
    const process = await session(
      linkTo(real.port, web),
      'ada',
      exec('trap "echo heard; exit 3" USR1; echo ready; while :; do sleep 0.1; done'),
    )
    await until(() => process.text() === 'ready\n')
    process.stream.control({ type: 'signal', name: 'KILL -1' })
    process.stream.control({ type: 'signal', name: 'USR1' })
    await process.whenClosed()
    expect([process.text(), process.messages.at(-1)]).toEqual(['ready\nheard\n', { type: 'exit', status: 3 }])
  })

  it('keeps input and a signal that arrive before the process runs', async () => {
    const process = await session(linkTo(real.port, web), 'ada', exec('cat'))
    process.stream.write(Buffer.from('early\n'))
    process.stream.eof()
    await process.whenClosed()
    expect([process.text(), process.messages.at(-1)]).toEqual(['early\n', { type: 'exit', status: 0 }])
  })

  it('gives the variables of the client that a device accepts, and no other', async () => {
    const env: [string, string][] = [
      ['LANG', 'de_DE.UTF-8'],
      ['LD_PRELOAD', '/x.so'],
      ['LC_ALL', 'a\nb'],
    ]
    const process = await session(linkTo(real.port, web), 'ada', exec('env'), { env })
    await process.whenClosed()
    const lines = process.text().split('\n')
    expect(lines).toEqual(expect.arrayContaining(['LANG=de_DE.UTF-8', 'HOME=/home/ada', 'USER=ada', 'SHELL=/bin/sh']))
    expect(lines).toContain('SSH_CONNECTION=192.0.2.7 50000 127.0.0.1 22')
    expect(process.text()).not.toMatch(/LD_PRELOAD|LC_ALL/)
  })

  it('serves files by the sftp-server of the container where it has one, and to no account without a shell', async () => {
    const link = linkTo(real.port, web)
    const sftp: SessionOpen['run'] = { type: 'subsystem', name: 'sftp' }
    const refused = await (await session(link, 'daemon', sftp)).whenClosed()
    expect(refused.message).toBe('The shell of this account allows no files.')
    const script =
      'mkdir -p /usr/lib/ssh; printf "#!/bin/sh\\necho served to \\$USER\\n" > /usr/lib/ssh/sftp-server; chmod +x /usr/lib/ssh/*'
    await real.podman('exec', 'web', 'sh', '-c', script)
    const served = await session(link, 'ada', sftp)
    await served.whenClosed()
    expect(served.text()).toBe('served to ada\n')
    const other = await session(link, 'ada', { type: 'subsystem', name: 'netconf' })
    expect((await other.whenClosed()).message).toBe('Containers have no such subsystem.')
  })

  it('says that a container has no shell', async () => {
    const bare = await real.run('bare')
    await real.podman('exec', 'bare', 'rm', '/bin/sh')
    const process = await session(linkTo(real.port, bare), 'ada', exec('true'))
    const noShell = /no working \/bin\/sh|container engine failed/
    expect((await process.whenClosed()).message).toMatch(noShell)
    expect(process.messages).toEqual([])
    const files = await session(linkTo(real.port, bare), 'ada', { type: 'subsystem', name: 'sftp' })
    expect((await files.whenClosed()).message).toMatch(noShell)
  })

  it('refuses passwords, unknown accounts, and commands that are no text', async () => {
    const link = linkTo(real.port, web)
    const byPassword = await signIn(link, 'ada', { method: 'password', password: 'secret' })
    expect(byPassword.messages).toMatchObject([
      { type: 'denied', reason: 'unsupported', message: expect.stringContaining('public key') },
    ])
    const nobody = await signIn(link, 'eve')
    expect(nobody.messages).toMatchObject([{ type: 'denied', reason: 'unknown-user' }])
    const binary: SessionOpen['run'] = { type: 'exec', command: Buffer.from([0xff, 0xfe]).toString('base64') }
    const process = await session(link, 'ada', binary)
    expect((await process.whenClosed()).message).toBe('The command is not text in UTF-8.')
  })

  it('opens no session without a login, and nothing else at all', async () => {
    const link = linkTo(real.port, web)
    const open = { login: 99, run: { type: 'shell' }, env: [], client: CLIENT }
    const process = RecordedStream.open(link, 'session', open)
    expect((await process.whenClosed()).message).toBe('The request is malformed.')
    for (const kind of ['dial', 'listen', 'http', 'accept'] as const) {
      const stream = RecordedStream.open(link, kind, {})
      expect((await stream.whenClosed()).reason).toBe('refused')
    }
  })

  it('stops a process whose output is not taken, and goes on when it is', async () => {
    const link = linkTo(real.port, web)
    const { stream: login } = await signIn(link, 'ada')
    const open: SessionOpen = { login: login.id, run: exec('head -c 4000000 /dev/zero'), env: [], client: CLIENT }
    const process = RecordedStream.open(link, 'session', open, { consume: false })
    await until(() => process.bytes().length >= 262_144)
    expect(process.bytes().length).toBeLessThan(1_000_000)
    process.consumes = true
    process.stream.consumed(process.bytes().length)
    await process.whenClosed()
    expect(process.bytes().length).toBe(4_000_000)
  })
})

describe('an engine that lies', () => {
  const ID = 'a'.repeat(64)
  /** The archive of /etc/passwd with root. */
  function passwd(): Buffer {
    const content = 'root:x:0:0::/root:/bin/sh\n'
    const header = Buffer.alloc(512)
    header.write('passwd')
    header.write(content.length.toString(8).padStart(11, '0'), 124)
    header.write('0', 156)
    return Buffer.concat([header, Buffer.from(content.padEnd(512, '\0'))])
  }

  /** Outcome of a command whose raw stream is these bytes. */
  async function endWith(stream: Buffer): Promise<{ message: string; out: string }> {
    const engine = await startHostileEngine((line, socket) => {
      if (line.includes('/archive')) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${passwd().length}\r\n\r\n`)
        return socket.end(passwd())
      }
      if (line.includes('/start')) {
        socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
        return socket.write(stream)
      }
      socket.end(answered('201 Created', JSON.stringify({ Id: ID })))
    })
    onTestFinished(() => engine.close())
    const process = await session(linkTo(engine.port, ID), 'root', exec('true'))
    const { message } = await process.whenClosed()
    return { message, out: process.text() }
  }
  const frame = (lane: number, text: string): Buffer => {
    const header = Buffer.alloc(8)
    header.writeUInt8(lane, 0)
    header.writeUInt32BE(Buffer.byteLength(text), 4)
    return Buffer.concat([header, Buffer.from(text)])
  }

  it('ends a session whose output is mixed up', async () => {
    const end = await endWith(Buffer.concat([frame(1, '4711\nhello'), Buffer.from('no frame at all')]))
    expect(end).toEqual({
      message: 'The container engine failed: the engine mixes up the output of a process.',
      out: 'hello',
    })
  })

  it.each(['1\n', '0\n', '-1\n', 'x\n', 'y'.repeat(100), '99999999999\n'])(
    'starts nothing that says %j instead of its number',
    async (line) => {
      expect((await endWith(frame(1, line))).message).toContain('no working /bin/sh')
    },
  )
})
