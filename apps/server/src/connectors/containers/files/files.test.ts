// Files of containers without an sftp-server, in real ones (podman): an image of busybox alone, and one with dash and the
// GNU programs of this machine.
import { createHash, randomBytes } from 'node:crypto'
import type { FileAttributes } from '@bowline/sftp/attributes'
import { MAX_DATA_BYTES, OPEN, STATUS } from '@bowline/sftp/protocol'
import { limitsReply, statvfsReply } from '@bowline/sftp/replies'
import type { Link } from '@bowline/link/api'
import { type Ask, NO_ATTRIBUTES, bytes } from '@bowline/sftp/testing/client'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lastingLinkTo } from '../testing.ts'
import { MAX_FILES } from './helpers.ts'
import { type FilesUnderTest, filesOf } from './testing.ts'

const missing = containerEngineMissing()
const SYSTEM = ['/usr/bin:/bin', '/usr/sbin:/sbin', '/usr/lib:/lib', '/usr/lib64:/lib64', '/usr:/usr']
/** A copy of the folder, out of which the sftp-server that this machine may have is removed. */
const NO_SERVER = ['--tmpfs', '/usr/lib/openssh']
const IMAGES: Readonly<Record<string, readonly string[]>> = {
  'busybox alone': [],
  'dash and GNU programs': [...SYSTEM.flatMap((volume) => ['-v', `${volume}:ro`]), ...NO_SERVER],
}

let engine: ContainerEngine
beforeAll(async () => {
  if (missing === undefined) engine = await startContainerEngine()
})
afterAll(() => engine?.close())

describe.skipIf(missing !== undefined).each(Object.keys(IMAGES))('files of a container with %s', (image) => {
  let id: string
  let link: Link
  let files: FilesUnderTest
  const inside = (command: string) => engine.podman('exec', id, 'sh', '-c', command)
  const ask = (request: Ask) => files.client.ask(request)
  const status = (request: Ask) => files.client.status(request)
  const open = (path: string, flags: number, permissions?: number) =>
    files.client.handle({
      type: 'open',
      path: bytes(path),
      flags,
      attributes: permissions === undefined ? {} : { permissions },
    })
  const close = (handle: Buffer) => status({ type: 'close', handle })
  const CREATE = OPEN.write | OPEN.create | OPEN.truncate
  beforeAll(async () => {
    if (missing !== undefined) return
    const options = IMAGES[image] ?? []
    id = await engine.run(image.replaceAll(' ', '-'), '--tmpfs', '/small:size=1m,mode=1777', ...options)
    await inside('chmod 1777 /tmp; rm -f /usr/lib/openssh/sftp-server')
    link = lastingLinkTo(engine.port, id)
    files = await filesOf(link, 'ada')
  }, 60_000)
  afterAll(() => link?.close({ by: 'gateway', reason: 'done', message: '' }))

  async function write(path: string, content: Buffer | string, flags = CREATE, permissions?: number) {
    const handle = await open(path, flags, permissions)
    const data = Buffer.from(content)
    const writes: Promise<number | string>[] = []
    for (let offset = 0; offset < data.length; offset += 32_768) {
      const piece = data.subarray(offset, offset + 32_768)
      writes.push(status({ type: 'write', handle, offset: BigInt(offset), data: piece }))
    }
    const results = new Set(await Promise.all(writes))
    results.delete(STATUS.ok)
    expect(await close(handle)).toBe(STATUS.ok)
    return [...results]
  }

  async function read(path: string, length = 32_768): Promise<Buffer> {
    const handle = await open(path, OPEN.read)
    const pieces: Buffer[] = []
    for (let offset = 0n; ;) {
      const reply = await ask({ type: 'read', handle, offset, length })
      if (reply.type !== 'data') {
        if (reply.type !== 'status' || reply.code !== STATUS.eof) throw new Error(JSON.stringify(reply))
        break
      }
      pieces.push(reply.data)
      offset += BigInt(reply.data.length)
    }
    expect(await close(handle)).toBe(STATUS.ok)
    return Buffer.concat(pieces)
  }

  const names = async (path: string) =>
    (await files.client.list(bytes(path))).flat().map((name) => name.toString('latin1'))

  it('starts in the home of the account and creates files as it', async () => {
    expect(await ask({ type: 'realpath', path: bytes('.') })).toMatchObject({ names: [{ name: bytes('/home/ada') }] })
    expect(await write('hello', 'hello\n')).toEqual([])
    expect(await inside('stat -c "%u:%g %a" /home/ada/hello; cat /home/ada/hello')).toBe('1000:1000 644\nhello')
    expect((await read('/home/ada/hello')).toString()).toBe('hello\n')
  })

  it('keeps modes: less than asked for by the umask, a program, and a file that its owner may not write', async () => {
    for (const [mode, kept] of [
      [0o600, '600'],
      [0o755, '755'],
      [0o444, '444'],
      [0o777, '755'],
    ] as const) {
      expect(await write(`m${kept}`, Buffer.alloc(100_000, 'x'), CREATE, mode)).toEqual([])
      expect(await inside(`stat -c "%a %s" /home/ada/m${kept}`)).toBe(`${kept} 100000`)
      await inside(`rm /home/ada/m${kept}`)
    }
  })

  it('carries 8 MB both ways unchanged, and what dd would count wrongly', async () => {
    const content = randomBytes(8_000_001)
    expect(await write('big', content)).toEqual([])
    const hash = createHash('sha256').update(content).digest('hex')
    expect(await inside('sha256sum /home/ada/big')).toBe(`${hash}  /home/ada/big`)
    expect((await read('big', MAX_DATA_BYTES)).equals(content)).toBe(true)
  })

  it('reads and writes anywhere in a file', async () => {
    const content = randomBytes(700_000)
    await write('any', content)
    const handle = await open('any', OPEN.read | OPEN.write)
    for (const [offset, length] of [
      [5, 10],
      [262_140, 8],
      [0, 3],
      [600_000, 200_000],
      [699_999, 1],
      [100_001, 261_000],
    ] as const) {
      const reply = await ask({ type: 'read', handle, offset: BigInt(offset), length })
      const wanted = content.subarray(offset, offset + length)
      expect([offset, reply.type === 'data' && reply.data.equals(wanted)]).toEqual([offset, true])
    }
    expect(await status({ type: 'read', handle, offset: 700_000n, length: 1 })).toBe(STATUS.eof)
    for (const [offset, text] of [
      [400_000, 'later'],
      [7, 'odd'],
      [262_144, 'even'],
      [500_001, 'end'],
      [500_004, 'of it'],
      [800_000, 'beyond'],
    ] as const) {
      const data = bytes(text)
      expect(await status({ type: 'write', handle, offset: BigInt(offset), data })).toBe(STATUS.ok)
      const reply = await ask({ type: 'read', handle, offset: BigInt(offset), length: 20 })
      expect(reply.type === 'data' && reply.data.toString('latin1').startsWith(text)).toBe(true)
    }
    await close(handle)
    const now = await read('any')
    expect([now.length, now.subarray(700_000, 800_000).every((byte) => byte === 0)]).toEqual([800_006, true])
    expect(now.subarray(10, 262_144).equals(content.subarray(10, 262_144))).toBe(true)
  })

  it('shows what others write to an open file', async () => {
    await write('log', 'one\n')
    const handle = await open('log', OPEN.read)
    const at = async (offset: bigint) => {
      const reply = await ask({ type: 'read', handle, offset, length: 100 })
      return reply.type === 'data' ? reply.data.toString() : reply.type
    }
    expect(await at(0n)).toBe('one\n')
    expect(await at(4n)).toBe('status')
    await inside('echo two >> /home/ada/log')
    expect(await at(4n)).toBe('two\n')
    await inside('echo ONE > /home/ada/log')
    expect(await at(0n)).toBe('ONE\n')
    await inside('rm /home/ada/log')
    expect(await at(0n)).toBe('ONE\n')
    await close(handle)
  })

  it.each([
    'with spaces',
    'it\'s $HOME `id` "quoted" \\n ; rm *',
    '-rf',
    '*',
    'line\nend\n',
    '\xff\xfe\x81\x88',
    '%s%n',
    'ü'.normalize('NFD'),
  ])('handles a file of the name %j', async (text) => {
    const name = Buffer.from(text, text.startsWith('ü') ? 'utf8' : 'latin1').toString('latin1')
    await inside('rm -rf /tmp/odd; mkdir -m 777 /tmp/odd')
    expect(await write(`/tmp/odd/${name}`, text)).toEqual([])
    expect((await read(`/tmp/odd/${name}`)).toString()).toBe(text)
    expect((await names('/tmp/odd')).toSorted()).toEqual([name, '.', '..'].toSorted())
    expect(await status({ type: 'mkdir', path: bytes(`/tmp/odd/${name}.d`), ...NO_ATTRIBUTES })).toBe(STATUS.ok)
    const inner = `/tmp/odd/${name}.d/${name}`
    expect(await status({ type: 'rename', from: bytes(`/tmp/odd/${name}`), to: bytes(inner) })).toBe(STATUS.ok)
    expect(await ask({ type: 'realpath', path: bytes(inner) })).toMatchObject({ names: [{ name: bytes(inner) }] })
    expect(await status({ type: 'symlink', target: bytes(name), path: bytes(`/tmp/odd/${name}`) })).toBe(STATUS.ok)
    const link = await ask({ type: 'readlink', path: bytes(`/tmp/odd/${name}`) })
    expect(link).toMatchObject({ names: [{ name: bytes(name) }] })
    expect(await status({ type: 'remove', path: bytes(inner) })).toBe(STATUS.ok)
    expect(await status({ type: 'rmdir', path: bytes(`/tmp/odd/${name}.d`) })).toBe(STATUS.ok)
    expect(await names('/tmp/odd')).toHaveLength(3)
  })

  it('lists hundreds of files with their attributes, in batches', async () => {
    await inside('mkdir /tmp/many; cd /tmp/many; for n in $(seq 700); do : >$n; done; ln -s nowhere .link; mkfifo pipe')
    const batches = await files.client.list(bytes('/tmp/many'))
    expect(batches.length).toBeGreaterThan(5)
    expect(new Set(batches.flat().map(String)).size).toBe(704)
    const handle = await files.client.handle({ type: 'opendir', path: bytes('/tmp/many') })
    const reply = await ask({ type: 'readdir', handle })
    const link = reply.type === 'name' ? reply.names.find(({ name }) => name.equals(bytes('.link'))) : undefined
    expect((link?.attributes.permissions ?? 0) >> 12).toBe(0o12)
    expect(link?.longName.toString()).toMatch(/^l[rwx-]{9} +1 root +root +7 .* \.link$/)
    await close(handle)
  })

  it('follows links where it should, and else works on the link', async () => {
    await inside(
      'mkdir -m 777 /tmp/links; cd /tmp/links; mkdir -m 777 d; echo x >f; ln -s d ld; ln -s f lf; ln -s gone lg',
    )
    const at = (name: string) => bytes(`/tmp/links/${name}`)
    const kind = async (type: 'stat' | 'lstat', name: string) => {
      const reply = await ask({ type, path: at(name) })
      return reply.type === 'attrs' ? (reply.attributes.permissions ?? 0) >> 12 : reply.type === 'status' && reply.code
    }
    expect([await kind('stat', 'ld'), await kind('lstat', 'ld'), await kind('stat', 'lf')]).toEqual([4, 0o12, 8])
    expect([await kind('stat', 'lg'), await kind('lstat', 'lg')]).toEqual([STATUS.noSuchFile, 0o12])
    // Neither into the folder that the link leads to nor in place of it.
    await inside('chmod -R a+rwX /tmp/links; chown -R ada /tmp/links')
    expect(await status({ type: 'posix-rename@openssh.com', from: at('f'), to: at('ld') })).toBe(STATUS.ok)
    expect(await inside('cd /tmp/links; ls d; [ -f ld ] && [ ! -L ld ] && echo replaced')).toBe('replaced')
    expect(await status({ type: 'posix-rename@openssh.com', from: at('ld'), to: at('d') })).toBe(STATUS.failure)
    expect(await status({ type: 'rename', from: at('ld'), to: at('lg') })).toBe(STATUS.failure)
    expect(await status({ type: 'symlink', target: bytes('x'), path: at('d') })).toBe(STATUS.failure)
    expect(await status({ type: 'remove', path: at('d') })).toBe(STATUS.failure)
    expect(await status({ type: 'remove', path: at('lg') })).toBe(STATUS.ok)
    expect(await status({ type: 'hardlink@openssh.com', from: at('ld'), to: at('hard') })).toBe(STATUS.ok)
    expect(await inside('stat -c %h /tmp/links/hard')).toBe('2')
  })

  it('sets size, mode and times, of paths and of what is open', async () => {
    await write('set', '0123456789')
    const set = (attributes: FileAttributes) => status({ type: 'setstat', path: bytes('set'), attributes })
    expect(await set({ permissions: 0o100_640, times: { accessed: 1_000_000_000, modified: 1_500_000_000 } })).toBe(0)
    expect(await inside('stat -c "%a %X %Y" /home/ada/set')).toBe('640 1000000000 1500000000')
    expect(await set({ size: 4n })).toBe(STATUS.ok)
    expect((await read('set')).toString()).toBe('0123')
    const handle = await open('set', OPEN.write)
    expect(await status({ type: 'fsetstat', handle, attributes: { size: 2n, permissions: 0o600 } })).toBe(STATUS.ok)
    expect(await ask({ type: 'fstat', handle })).toMatchObject({ attributes: { size: 2n, permissions: 0o100_600 } })
    expect(await status({ type: 'fsync@openssh.com', handle })).toBe(STATUS.ok)
    await close(handle)
    expect(await set({ owner: { uid: 0, gid: 0 } })).toBe(STATUS.permissionDenied)
    expect(await set({ size: 0n })).toBe(STATUS.ok)
    expect(await inside('stat -c "%a %s" /home/ada/set')).toBe('600 0')
  })

  it('opens as asked: appending, exclusively, without creating', async () => {
    await write('a', 'one ')
    expect(await write('a', 'two', OPEN.write | OPEN.append | OPEN.create)).toEqual([])
    expect((await read('a')).toString()).toBe('one two')
    const flags = OPEN.write | OPEN.create | OPEN.exclusive
    expect(await status({ type: 'open', path: bytes('a'), flags, ...NO_ATTRIBUTES })).toBe(STATUS.failure)
    const gone = { type: 'open', path: bytes('gone'), ...NO_ATTRIBUTES } as const
    expect(await status({ ...gone, flags: OPEN.write })).toBe(STATUS.noSuchFile)
    expect(await status({ ...gone, flags: OPEN.read })).toBe(STATUS.noSuchFile)
    expect(await status({ ...gone, path: bytes('/tmp'), flags: CREATE })).toBe(STATUS.failure)
    expect(await write('x', 'new', flags)).toEqual([])
  })

  it('has the permissions of the account, and says what is denied', async () => {
    await inside(
      'mkdir -p /root/secret; chmod 700 /root; echo x >/root/f; echo y >/tmp/of-root; chmod 600 /tmp/of-root',
    )
    const denied = async (request: Ask) => expect([request.type, await status(request)]).toEqual([request.type, 3])
    await denied({ type: 'open', path: bytes('/tmp/of-root'), flags: OPEN.read, ...NO_ATTRIBUTES })
    await denied({ type: 'open', path: bytes('/etc/new'), flags: CREATE, ...NO_ATTRIBUTES })
    await denied({ type: 'stat', path: bytes('/root/f') })
    await denied({ type: 'opendir', path: bytes('/root') })
    await denied({ type: 'mkdir', path: bytes('/etc/new'), ...NO_ATTRIBUTES })
    await denied({ type: 'remove', path: bytes('/tmp/of-root') })
    await denied({ type: 'setstat', path: bytes('/etc/passwd'), attributes: { permissions: 0o666 } })
    expect(await status({ type: 'opendir', path: bytes('/etc/passwd') })).toBe(STATUS.noSuchFile)
    expect(await status({ type: 'rmdir', path: bytes('/nothing') })).toBe(STATUS.noSuchFile)
    expect(await status({ type: 'stat', path: bytes('a\0b') })).toBe(STATUS.badMessage)
    expect(await status({ type: 'stat', path: bytes('/'.padEnd(400, 'n')) })).toBe(STATUS.badMessage)
  })

  it('says that a disk is full, and goes on', async () => {
    expect(await write('/small/full', Buffer.alloc(3_000_000, 'x'))).toEqual([STATUS.failure])
    expect(await status({ type: 'remove', path: bytes('/small/full') })).toBe(STATUS.ok)
    expect(await write('/small/fits', 'x')).toEqual([])
  })

  it('opens as many files as it says, by several helpers', async () => {
    const limits = await ask({ type: 'limits@openssh.com' })
    expect(limits.type === 'extendedReply' && limitsReply.decode(limits.payload).openHandles).toBe(BigInt(MAX_FILES))
    const handles: Buffer[] = []
    for (let index = 0; index < 20; index += 1) handles.push(await open(`/tmp/p${index}`, CREATE))
    for (const [index, handle] of handles.entries()) {
      const data = bytes(`content ${index}`)
      expect(await status({ type: 'write', handle, offset: 0n, data })).toBe(STATUS.ok)
      expect(await close(handle)).toBe(STATUS.ok)
      expect(await close(handle)).toBe(STATUS.noSuchFile)
    }
    expect((await read('/tmp/p19')).toString()).toBe('content 19')
  }, 30_000)

  it('reports the file system, the home, and paths with a tilde', async () => {
    const reply = await ask({ type: 'statvfs@openssh.com', path: bytes('/small') })
    if (reply.type !== 'extendedReply') throw new Error('not answered')
    const { frsize, blocks, namemax } = statvfsReply.decode(reply.payload)
    expect([frsize * blocks, namemax]).toEqual([1_048_576n, 255n])
    const path = bytes('~/sub/new')
    expect(await status({ type: 'expand-path@openssh.com', path })).toBe(STATUS.noSuchFile)
    await status({ type: 'mkdir', path: bytes('sub'), ...NO_ATTRIBUTES })
    const expanded = await ask({ type: 'expand-path@openssh.com', path })
    expect(expanded).toMatchObject({ names: [{ name: bytes('/home/ada/sub/new') }] })
    expect(await status({ type: 'unknown', code: 200, name: 'x@example.com', payload: Buffer.alloc(0) })).toBe(8)
  })

  it('leaves no process behind', async () => {
    const count = () => inside('ps -ef 2>/dev/null | grep -c "[n]eeded in stat" || :')
    const other = await filesOf(link, 'ada')
    expect(Number(await count())).toBeGreaterThan(0)
    other.session.stream?.eof()
    await other.session.whenClosed()
    expect(other.session.messages.at(-1)).toEqual({ type: 'exit', status: 0 })
    files.session.stream?.close()
    await until(async () => (await count()) === '0')
  })
})
