// Connections made from inside of a container, with each of the programs that an image may have. The containers have a
// network of their own, without a way out: what answers is in them.
import type { Link } from '@bowline/link/api'
import { RecordedStream } from '@bowline/link/testing/pair'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkTo, signIn } from './testing.ts'

const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

const PROGRAMS = ['perl', 'python3', 'nc', 'bash'] as const
type Program = (typeof PROGRAMS)[number]
const PORTS = { echo: 7, zeros: 9, silent: 11, closed: 13 }
/** Sends back what it receives; sends much and ends; sends nothing. */
const SERVICES = `nc -ll -p ${PORTS.echo} -e cat &
nc -ll -p ${PORTS.zeros} -e head -c 3000000 /dev/zero &
nc -ll -p ${PORTS.silent} -e sleep 1000000 &
until [ "$(cat /proc/net/tcp /proc/net/tcp6 | grep -c ' 0A ')" = 3 ]; do sleep 0.1; done
touch /tmp/ready
wait`
/** Busybox's shell finds its own nc wherever PATH leads, which would be taken instead of bash. */
const WITHOUT_BUSYBOX = 'cp /usr/bin/dash /bin/dash; ln -sf dash /bin/sh'

let real: ContainerEngine
const ids = new Map<Program, string>()
beforeAll(async () => {
  if (missing !== undefined) return
  real = await startContainerEngine()
  await Promise.all(PROGRAMS.map(async (program) => ids.set(program, await startWith(program))))
}, 60_000)
afterAll(() => real?.close())

/** A container in which only one of the programs is found. @returns its id */
async function startWith(program: Program): Promise<string> {
  const mount = (name: string): string[] => ['-v', `/usr/bin/${name}:/programs/${name}:ro`]
  const system = ['/usr:/usr:ro', '/usr/lib:/lib:ro', '/usr/lib64:/lib64:ro'].flatMap((volume) => ['-v', volume])
  const mounts = program === 'nc' ? [] : [...system, ...mount(program)]
  const path = program === 'bash' ? [...mount('cat'), '-e', 'PATH=/programs'] : ['-e', 'PATH=/programs:/bin']
  const id = await real.run(program, '--network', 'none', ...mounts, ...path)
  const inside = (script: string, ...options: string[]) =>
    real.podman('exec', '-e', 'PATH=/bin', ...options, program, '/bin/busybox', 'sh', '-c', script)
  if (program === 'bash') await inside(WITHOUT_BUSYBOX)
  await inside(SERVICES, '-d')
  await inside('until [ -e /tmp/ready ]; do sleep 0.1; done')
  return id
}

/** Number of processes of a container that run as ada: those of connections, not those of services, and those that have ended and
 * are not waited for. */
async function countOf(program: Program): Promise<number> {
  const script = "stat -c %u /proc/[0-9]* 2>/dev/null | grep -c '^1000$' || true"
  return Number(await real.podman('exec', program, '/bin/busybox', 'sh', '-c', script))
}

async function dial(link: Link, port: number, options: { consume?: boolean } = {}) {
  const { stream: login } = await signIn(link, 'ada')
  return RecordedStream.open(link, 'dial', { login: login.id, target: { host: '127.0.0.1', port } }, options)
}

const linkOf = (program: Program): Link => linkTo(real.port, ids.get(program) ?? '')
const CONNECTED = [{ type: 'connected' }]

describe.skipIf(missing !== undefined).each(PROGRAMS)('a connection by %s', (program) => {
  it(`delivers all that the other side sends, and its end, by ${program}`, async () => {
    const connection = await dial(linkOf(program), PORTS.zeros)
    await until(() => connection.events.includes('eof'))
    expect([connection.bytes().length, connection.messages]).toEqual([3_000_000, CONNECTED])
    connection.stream.close()
  })

  it(`says that it is connected before a byte has passed, and carries bytes both ways by ${program}`, async () => {
    const connection = await dial(linkOf(program), PORTS.echo)
    await until(() => connection.messages.length > 0)
    expect([connection.messages, connection.bytes().length]).toEqual([CONNECTED, 0])
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    connection.stream.write(bytes)
    await until(() => connection.bytes().length === 256)
    expect(connection.bytes().equals(bytes)).toBe(true)
    connection.stream.close()
  })

  it(`says why there is no connection by ${program}`, async () => {
    const connection = await dial(linkOf(program), PORTS.closed)
    const { reason, message } = await connection.whenClosed()
    expect([reason, connection.messages]).toEqual(['connect-failed', []])
    expect(message).toMatch(/refused/i)
  })

  it(`stops the other side when nobody reads by ${program}`, async () => {
    const connection = await dial(linkOf(program), PORTS.zeros, { consume: false })
    await until(() => connection.bytes().length >= 262_144)
    expect(connection.bytes().length).toBeLessThan(1_000_000)
    connection.consumes = true
    connection.stream.consumed(connection.bytes().length)
    await until(() => connection.events.includes('eof'))
    expect(connection.bytes().length).toBe(3_000_000)
  })

  it(`leaves nothing behind when it is given up by ${program}`, async () => {
    await until(async () => (await countOf(program)) === 0)
    const connection = await dial(linkOf(program), PORTS.silent)
    await until(() => connection.messages.length > 0)
    expect(await countOf(program)).toBeGreaterThan(0)
    connection.stream.close()
    await until(async () => (await countOf(program)) === 0)
    expect(connection.messages).toEqual(CONNECTED)
  })
})

describe.skipIf(missing !== undefined).each(['perl', 'python3', 'nc'] as const)(
  'half a connection by %s',
  (program) => {
    it(`stays when the input has ended, by ${program}`, async () => {
      const connection = await dial(linkOf(program), PORTS.echo)
      const bytes = Buffer.alloc(2_000_000, 'abcdefghi\n')
      for (let start = 0; start < bytes.length; start += 50_000) {
        connection.stream.write(Buffer.from(bytes.subarray(start, start + 50_000)))
      }
      connection.stream.eof()
      await connection.whenClosed()
      expect(connection.bytes().equals(bytes)).toBe(true)
      expect(connection.events.filter((event) => event === 'eof')).toHaveLength(1)
    })
  },
)

describe.skipIf(missing !== undefined)('a connection into a container', () => {
  it.each(['perl', 'python3'] as const)('reaches socket files by %s', async (program) => {
    const link = linkOf(program)
    const { stream: login } = await signIn(link, 'root')
    const listen = `use Socket; socket S, AF_UNIX, SOCK_STREAM, 0; bind S, sockaddr_un("/tmp/s"); listen S, 5;
      accept C, S; syswrite C, scalar <C>`
    const serve = program === 'perl' ? ['perl', '-e', listen] : ['python3', '-c', PYTHON_ECHO]
    await real.podman('exec', '-d', program, ...serve)
    await real.podman('exec', program, 'sh', '-c', 'until [ -S /tmp/s ]; do sleep 0.1; done; sleep 0.2')
    const connection = RecordedStream.open(link, 'dial', { login: login.id, target: { path: '/tmp/s' } })
    connection.stream.write(Buffer.from('hello\n'))
    await until(() => connection.text() === 'hello\n')
    expect(connection.messages).toEqual(CONNECTED)
  })

  it('says that nothing reaches a socket file where only nc is', async () => {
    const link = linkOf('nc')
    const { stream: login } = await signIn(link, 'root')
    const connection = RecordedStream.open(link, 'dial', { login: login.id, target: { path: '/tmp/s' } })
    expect((await connection.whenClosed()).message).toBe('none of the programs in it can connect')
  })

  it('serves tunnels, without an account', async () => {
    const connection = RecordedStream.open(linkOf('nc'), 'http', { host: '127.0.0.1', port: PORTS.zeros })
    await until(() => connection.events.includes('eof'))
    expect(connection.bytes().length).toBe(3_000_000)
  })

  it('takes no host for an option or a command', async () => {
    const link = linkOf('nc')
    const { stream: login } = await signIn(link, 'ada')
    for (const host of ['-e/bin/sh', '$(id)', 'a b', ';id', '../x', '']) {
      const connection = RecordedStream.open(link, 'dial', { login: login.id, target: { host, port: 80 } })
      expect((await connection.whenClosed()).message).toBe('The name of the host is malformed.')
    }
  })

  it('ends with its login, and needs one', async () => {
    const link = linkOf('nc')
    const { stream: login } = await signIn(link, 'ada')
    const open = { login: login.id, target: { host: '127.0.0.1', port: PORTS.echo } }
    const connection = RecordedStream.open(link, 'dial', open)
    await until(() => connection.messages.length > 0)
    login.close()
    expect((await connection.whenClosed()).message).toBe('The login has ended.')
    expect((await RecordedStream.open(link, 'dial', open).whenClosed()).message).toBe('The request is malformed.')
  })
})

const PYTHON_ECHO = `import socket
s = socket.socket(socket.AF_UNIX)
s.bind("/tmp/s")
s.listen(5)
c = s.accept()[0]
c.sendall(c.recv(100))
c.recv(1)`
