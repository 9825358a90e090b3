import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_DATA_BYTES, MAX_PACKET_BYTES, OPEN, STATUS } from '@bowline/sftp/protocol'
import { statvfsReply } from '@bowline/sftp/replies'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '@bowline/testkit/until'
import { ACCOUNT, alive, run, startAgent } from '../testing.ts'
import { MAX_HANDLES } from './handles.ts'
import { mayTransferFiles, sftpProgram } from './start.ts'
import { NO_ATTRIBUTES, bytes } from '@bowline/sftp/testing/client'
import { openFiles, startServer } from './testing.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowline-sftp-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const inFolder = (name: string): string => join(folder, name)
const at = (name: string): Buffer => Buffer.from(inFolder(name))

describe('the server', () => {
  test('keeps names that are not UTF-8, and lists large directories in batches', async () => {
    await using server = await startServer(folder)
    const odd = ['\xff\xfe', '\x80 with\nnewline', 'ü'.normalize('NFD')].map(bytes)
    for (const name of odd) {
      expect(await server.client.status({ type: 'mkdir', path: name, ...NO_ATTRIBUTES })).toBe(STATUS.ok)
    }
    for (let index = 0; index < 1_000; index += 1) writeFileSync(inFolder(`${index}`), '')
    const batches = await server.client.list(bytes('.'))
    expect(batches.length).toBeGreaterThan(10)
    const listed = batches.flat().map((name) => name.toString('latin1'))
    expect(listed).toHaveLength(1_000 + odd.length + 2)
    expect(listed).toEqual(expect.arrayContaining(odd.map((name) => name.toString('latin1'))))
    for (const name of odd) expect(await server.client.status({ type: 'rmdir', path: name })).toBe(STATUS.ok)
  })

  test('answers hundreds of pipelined requests in order', async () => {
    await using server = await startServer(folder)
    const { client } = server
    const flags = OPEN.read | OPEN.write | OPEN.create
    const handle = await client.handle({ type: 'open', path: bytes('file'), flags, ...NO_ATTRIBUTES })
    const piece = (index: number) => Buffer.alloc(32_768, index)
    const numbers = Array.from({ length: 600 }, (_, index) => index)
    const writes = numbers.map((index) =>
      client.status({ type: 'write', handle, offset: BigInt(index) * 32_768n, data: piece(index) }),
    )
    const reads = numbers.map((index) =>
      client.ask({ type: 'read', handle, offset: BigInt(index) * 32_768n, length: 32_768 }),
    )
    expect(new Set(await Promise.all(writes))).toEqual(new Set([STATUS.ok]))
    for (const [index, reply] of (await Promise.all(reads)).entries()) {
      expect(reply.type === 'data' && reply.data.equals(piece(index))).toBe(true)
    }
    expect(statSync(inFolder('file')).size).toBe(600 * 32_768)
  })

  test('reads and writes the announced maximum at a time', async () => {
    await using server = await startServer(folder)
    const { client } = server
    const flags = OPEN.read | OPEN.write | OPEN.create
    const handle = await client.handle({ type: 'open', path: bytes('file'), flags, ...NO_ATTRIBUTES })
    const data = Buffer.alloc(MAX_DATA_BYTES, 'a')
    expect(await client.status({ type: 'write', handle, offset: 0n, data })).toBe(STATUS.ok)
    const reply = await client.ask({ type: 'read', handle, offset: 0n, length: 0x7fff_ffff })
    expect(reply.type === 'data' && reply.data.equals(data)).toBe(true)
  })

  test('leaves holes in sparse files', async () => {
    await using server = await startServer(folder)
    const flags = OPEN.write | OPEN.create
    const handle = await server.client.handle({ type: 'open', path: bytes('file'), flags, ...NO_ATTRIBUTES })
    const offset = 8n * 1024n ** 3n
    expect(await server.client.status({ type: 'write', handle, offset, data: bytes('end') })).toBe(STATUS.ok)
    const { size, blocks } = statSync(inFolder('file'))
    expect(size).toBe(Number(offset) + 3)
    expect(blocks * 512).toBeLessThan(1024 ** 2)
    truncateSync(inFolder('file'))
  })

  test('obeys the umask it was started with', async () => {
    const { argv, path } = sftpProgram(ACCOUNT)
    const words = argv.slice(1).map(String)
    await using server = await startServer(folder, ['sh', '-c', 'umask 027; exec "$0" "$@"', path, ...words])
    const flags = OPEN.write | OPEN.create
    await server.client.handle({ type: 'open', path: bytes('file'), flags, ...NO_ATTRIBUTES })
    await server.client.ask({ type: 'mkdir', path: bytes('sub'), ...NO_ATTRIBUTES })
    expect([statSync(inFolder('file')).mode & 0o777, statSync(inFolder('sub')).mode & 0o777]).toEqual([0o640, 0o750])
  })

  test('opens no more files than announced', async () => {
    await using server = await startServer(folder)
    const open = () => server.client.ask({ type: 'open', path: bytes('/dev/null'), flags: OPEN.read, ...NO_ATTRIBUTES })
    const replies = await Promise.all(Array.from({ length: MAX_HANDLES }, open))
    expect(new Set(replies.map(({ type }) => type))).toEqual(new Set(['handle']))
    expect(await open()).toMatchObject({ type: 'status', code: STATUS.failure })
    expect(await server.client.status({ type: 'opendir', path: bytes('.') })).toBe(STATUS.failure)
    const [first] = replies
    if (first?.type !== 'handle') throw new Error('checked above')
    expect(await server.client.status({ type: 'close', handle: first.handle })).toBe(STATUS.ok)
    // The next one must not reuse the handle that was just closed.
    expect(await open()).not.toMatchObject({ handle: first.handle })
  })

  test('reports its file system', async () => {
    await using server = await startServer(folder)
    const handle = await server.client.handle({ type: 'open', path: at('.'), flags: OPEN.read, ...NO_ATTRIBUTES })
    const replies = await Promise.all([
      server.client.ask({ type: 'statvfs@openssh.com', path: bytes('.') }),
      server.client.ask({ type: 'fstatvfs@openssh.com', handle }),
    ])
    const told = execFileSync('stat', ['-f', '-c', '%S %b %c %l', folder], { encoding: 'utf8' }).trim()
    for (const reply of replies) {
      if (reply.type !== 'extendedReply') throw new Error('not answered')
      const { frsize, blocks, files, namemax } = statvfsReply.decode(reply.payload)
      expect([frsize, blocks, files, namemax].join(' ')).toBe(told)
    }
  })

  test('exits at the end of its input', async () => {
    const server = await startServer(folder)
    server.child.stdin.end()
    expect([await server.ended, server.stderr()]).toEqual([0, ''])
  })

  test.each([
    ['a packet that is too large', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['an empty packet', Buffer.alloc(4)],
    ['a packet that ends within a field', Buffer.from([0, 0, 0, 6, 3, 0, 0, 0, 1, 0])],
  ])('exits on %s without a stack trace', async (_name, packet) => {
    const server = await startServer(folder)
    server.client.raw(packet)
    expect(await server.ended).toBe(255)
    expect(server.stderr()).toMatch(/^sftp: .{1,80}\n$/)
  })

  test('refuses to serve without an order', async () => {
    const { path, argv } = sftpProgram(ACCOUNT)
    const words = argv.slice(1, -1).map(String)
    const lines: string[] = []
    for (const order of ['', '{}', '{"name":"x","uid":"0"}', '{']) {
      const command = ['-c', '"$0" "$@" 2>&1; echo $?', path, ...words, order]
      lines.push(execFileSync('sh', command, { encoding: 'utf8', input: '' }))
    }
    expect(lines.every((line) => /^sftp: .+\n255\n$/.test(line))).toBe(true)
  })
})

describe('a session of the subsystem sftp', () => {
  test('starts in the home directory and ends with status 0', async () => {
    const { gateway, streams } = startAgent()
    const { session, client, exit } = await openFiles(gateway)
    expect(await client.start()).toMatchObject({ type: 'version', version: 3 })
    expect(await client.ask({ type: 'realpath', path: bytes('.') })).toMatchObject({
      names: [{ name: Buffer.from(ACCOUNT.home) }],
    })
    session.stream.eof()
    expect(await exit()).toEqual({ type: 'exit', status: 0 })
    expect(session.text(1)).toBe('')
    await until(() => streams.processCount === 0)
  })

  test('stops reading under backpressure, and resumes without losing data', async () => {
    const { gateway } = startAgent({ windowBytes: 65_536 })
    writeFileSync(inFolder('zeros'), Buffer.alloc(MAX_DATA_BYTES))
    const { session, client, exit } = await openFiles(gateway, { consume: false })
    const unread = () => session.bytes().length
    await client.start()
    const open = { type: 'open', path: at('zeros'), flags: OPEN.read, ...NO_ATTRIBUTES } as const
    const handle = await client.handle(open)
    const reads = Array.from({ length: 500 }, () =>
      client.ask({ type: 'read', handle, offset: 0n, length: MAX_PACKET_BYTES }),
    )
    await until(() => unread() >= 65_536)
    const before = unread()
    await new Promise((resolve) => setImmediate(resolve))
    expect(unread()).toBe(before)
    session.consumes = true
    session.stream.consumed(before)
    const lengths = (await Promise.all(reads)).map((reply) => reply.type === 'data' && reply.data.length)
    expect(new Set(lengths)).toEqual(new Set([MAX_DATA_BYTES]))
    session.stream.eof()
    expect(await exit()).toEqual({ type: 'exit', status: 0 })
  })

  test('blocks nobody when it waits for a FIFO, and ends with its stream', async () => {
    const clock = new ManualClock()
    const { gateway, streams, errors, log } = startAgent({ clock })
    execFileSync('mkfifo', [inFolder('fifo')])
    const { session, client } = await openFiles(gateway)
    await client.start()
    const opened = client.ask({ type: 'open', path: at('fifo'), flags: OPEN.read, ...NO_ATTRIBUTES })
    const other = await openFiles(gateway)
    expect(await other.client.start()).toMatchObject({ type: 'version' })
    expect((await run(gateway, 'echo still here')).stdout).toBe('still here\n')
    const waiting = Number(log.find((line) => line['ev'] === 'session.started')?.['pid'])
    session.stream.close()
    other.session.stream.close()
    await until(() => streams.processCount === 0 && clock.pending > 0)
    await clock.advanceAsync(29_999)
    expect(alive(waiting)).toBe(true)
    await clock.advanceAsync(1)
    await until(() => !alive(waiting))
    expect(errors).toEqual([])
    client.ended('closed')
    await expect(opened).rejects.toThrow('closed')
  })

  test('takes no variables of the client into its environment', async () => {
    const { gateway, log } = startAgent()
    const { client } = await openFiles(gateway, {})
    await client.start()
    const pid = log.find((line) => line['ev'] === 'session.started')?.['pid']
    const environment = readFileSync(`/proc/${String(pid)}/environ`, 'utf8').split('\0')
    const names = environment.filter(Boolean).map((line) => line.split('=')[0])
    expect(new Set(names)).toEqual(
      new Set([
        'HOME',
        'LANG',
        'LOGNAME',
        'MAIL',
        'PATH',
        'SHELL',
        'SSH_CLIENT',
        'SSH_CONNECTION',
        'SSH_ORIGINAL_COMMAND',
        'USER',
      ]),
    )
  })

  test.each(['SFTP', 'sftp-server', '../sftp', ''])('refuses the subsystem %j', async (name) => {
    const { gateway } = startAgent()
    const { session } = await openFiles(gateway, { name })
    expect(await session.whenClosed()).toMatchObject({ by: 'agent', reason: 'refused' })
  })
})

describe('file transfer', () => {
  const shells = '# comment\n/bin/sh\n/bin/bash\n/bin/rbash\n'
  test.each([
    ['/bin/bash', shells, true],
    ['/bin/sh', shells, true],
    ['/opt/menu', shells, false],
    ['/bin/rbash', shells, false],
    ['/usr/sbin/nologin', `${shells}/usr/sbin/nologin\n`, false],
    ['/usr/bin/git-shell', shells, false],
    ['/bin/ash', undefined, true],
    ['/opt/menu', undefined, false],
  ])('allows file transfer for the shell %s and the shells %j: %s', (shell, listed, allowed) => {
    expect(mayTransferFiles({ ...ACCOUNT, shell }, listed)).toBe(allowed)
  })
})
