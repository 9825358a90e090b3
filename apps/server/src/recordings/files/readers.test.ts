import { createHash } from 'node:crypto'
import { STATUS } from '@bowline/sftp/protocol'
import { encodeReply } from '@bowline/sftp/replies'
import { encodeRequest } from '@bowline/sftp/requests'
import { describe, expect, it } from 'vitest'
import { createContentHash } from './content-hash.ts'
import type { FileOperation, FileReader } from './operation.ts'
import { fileReaderOf } from './reader.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

function reading(run: Parameters<typeof fileReaderOf>[0]): {
  reader: FileReader
  reported: (FileOperation | string)[]
} {
  const reported: (FileOperation | string)[] = []
  const reader = fileReaderOf(run, {
    done: (operation) => reported.push(operation),
    lost: (reason) => reported.push(reason),
  })
  if (!reader) throw new Error('it carries no files')
  return { reader, reported }
}

const handle = Buffer.from('h')
const path = Buffer.from('/etc/motd')
const attributes = {}
const status = (id: number, code: number, message = '') =>
  encodeReply({ type: 'status', id, code, message, language: '' })

describe('SFTP operations', () => {
  const sftp = () => reading({ type: 'subsystem', command: 'sftp' })

  it('reports an SFTP upload from packets split at any byte', () => {
    const { reader, reported } = sftp()
    const person = Buffer.concat([
      encodeRequest({ type: 'init', version: 3, extensions: [] }),
      encodeRequest({ type: 'open', id: 1, path, flags: 0x1a, attributes }),
    ])
    for (const byte of person) reader.clientData(Uint8Array.of(byte))
    reader.deviceData(encodeReply({ type: 'version', version: 3, extensions: [] }))
    reader.deviceData(encodeReply({ type: 'handle', id: 1, handle }))
    reader.clientData(encodeRequest({ type: 'write', id: 2, handle, offset: 0n, data: Buffer.from('hello ') }))
    reader.clientData(encodeRequest({ type: 'write', id: 3, handle, offset: 6n, data: Buffer.from('world') }))
    reader.deviceData(Buffer.concat([status(2, STATUS.ok), status(3, STATUS.ok)]))
    reader.clientData(encodeRequest({ type: 'close', id: 4, handle }))
    expect(reported).toEqual([])
    reader.deviceData(status(4, STATUS.ok))
    expect(reported).toEqual([
      { operation: 'upload', path: '/etc/motd', bytes: 11, sha256: sha256('hello world'), result: 'ok' },
    ])
  })

  it('reports an SFTP download with out-of-order answers', () => {
    const { reader, reported } = sftp()
    reader.clientData(encodeRequest({ type: 'open', id: 1, path, flags: 1, attributes }))
    reader.deviceData(encodeReply({ type: 'handle', id: 1, handle }))
    for (const id of [2, 3, 4]) {
      reader.clientData(encodeRequest({ type: 'read', id, handle, offset: BigInt((id - 2) * 3), length: 3 }))
    }
    reader.deviceData(encodeReply({ type: 'data', id: 3, data: Buffer.from('def') }))
    reader.deviceData(status(4, STATUS.eof))
    reader.deviceData(encodeReply({ type: 'data', id: 2, data: Buffer.from('abc') }))
    reader.clientData(encodeRequest({ type: 'close', id: 5, handle }))
    reader.deviceData(status(5, STATUS.ok))
    expect(reported).toEqual([
      { operation: 'download', path: '/etc/motd', bytes: 6, sha256: sha256('abcdef'), result: 'ok' },
    ])
  })

  it('reports SFTP removals, renames, refusals and interrupted transfers', () => {
    const { reader, reported } = sftp()
    const to = Buffer.from('/b\u001b[2J')
    reader.clientData(encodeRequest({ type: 'remove', id: 1, path }))
    reader.clientData(encodeRequest({ type: 'posix-rename@openssh.com', id: 2, from: path, to }))
    reader.clientData(encodeRequest({ type: 'open', id: 3, path, flags: 2, attributes }))
    reader.clientData(encodeRequest({ type: 'open', id: 4, path, flags: 1, attributes }))
    reader.deviceData(status(1, STATUS.permissionDenied, 'Permission denied'))
    reader.deviceData(status(2, STATUS.ok))
    reader.deviceData(status(3, STATUS.noSuchFile))
    reader.deviceData(encodeReply({ type: 'handle', id: 4, handle }))
    reader.clientData(encodeRequest({ type: 'read', id: 5, handle, offset: 0n, length: 3 }))
    reader.deviceData(encodeReply({ type: 'data', id: 5, data: Buffer.from('abc') }))
    reader.end()
    expect(reported).toEqual([
      { operation: 'remove', path: '/etc/motd', result: 'Permission denied' },
      { operation: 'rename', path: '/etc/motd', to: '/b\uFFFD[2J', result: 'ok' },
      { operation: 'upload', path: '/etc/motd', bytes: 0, result: 'noSuchFile' },
      { operation: 'download', path: '/etc/motd', bytes: 3, sha256: sha256('abc'), result: 'interrupted' },
    ])
  })

  it('reports malformed SFTP and too many pending requests once', () => {
    const { reader, reported } = sftp()
    reader.clientData(Buffer.alloc(100, 0xff))
    reader.clientData(Buffer.alloc(100, 0xff))
    expect(reported).toHaveLength(1)
    const endless = sftp()
    for (let id = 0; id < 8_193; id += 1) endless.reader.clientData(encodeRequest({ type: 'remove', id, path }))
    expect(endless.reported).toEqual(['more than 8192 requests wait for an answer'])
  })
})

describe('createContentHash', () => {
  it.each([
    ['written twice', [0, 0]],
    ['written with a hole', [0, 9]],
  ])('returns no hash for a file %s', (_, offsets) => {
    const hash = createContentHash()
    for (const offset of offsets) hash.add(offset, Buffer.from('abc'))
    expect(hash.end()).toEqual({ bytes: 6 })
  })
})

describe('scp and rsync operations', () => {
  it('reports files and folders of scp in both directions', () => {
    const up = reading({ type: 'exec', command: 'scp -r -t /tmp' })
    const sent = 'T1 0 1 0\nD0755 0 dir\nC0644 5 a b\nhello\0C0600 0 empty\n\0E\nC0644 3 c\nabc\0'
    for (const byte of Buffer.from(sent)) up.reader.clientData(Uint8Array.of(byte))
    up.reader.deviceData(Buffer.from('\0\0\0'))
    const file = { operation: 'upload', to: '/tmp', result: 'ok' }
    expect(up.reported).toEqual([
      { ...file, path: 'dir/a b', bytes: 5, sha256: sha256('hello') },
      { ...file, path: 'dir/empty', bytes: 0, sha256: sha256('') },
      { ...file, path: 'c', bytes: 3, sha256: sha256('abc') },
    ])
    const down = reading({ type: 'exec', command: '/usr/bin/scp -f x' })
    down.reader.deviceData(Buffer.from('C0644 9 x\nhalf'))
    down.reader.end()
    expect(down.reported).toMatchObject([{ operation: 'download', path: 'x', bytes: 4, result: 'interrupted' }])
    const none = reading({ type: 'exec', command: 'scp -f x; cat /etc/shadow' })
    none.reader.deviceData(Buffer.from('root:*:1:\n'))
    expect(none.reported).toEqual(['it is not what scp says'])
  })

  it('reports an rsync stream as one operation', () => {
    const { reader, reported } = reading({ type: 'exec', command: 'rsync --server --sender -logDtpr . /srv/data' })
    reader.deviceData(Buffer.from('stream'))
    reader.end()
    const hash = sha256('stream')
    expect(reported).toEqual([
      { operation: 'download', path: '/srv/data', bytes: 6, sha256: hash, result: 'rsync stream' },
    ])
  })
})
