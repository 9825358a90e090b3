// Files in a browser: the SFTP of a device over the web terminal's WebSocket, with the rules of every other session.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { LinkStream, StreamHandler } from '@bowline/link/api'
import { OPEN, STATUS } from '@bowline/sftp/protocol'
import { Client, NO_ATTRIBUTES, bytes } from '@bowline/sftp/testing/client'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { type Behaviour, DEVICE_PASSWORD, fakeDevice, judging } from '../../testing/gateway.ts'
import { type Page, openPage, resumedPage } from './testing.ts'

const SFTP_SERVER = '/usr/lib/openssh/sftp-server'

let server: BootedServer
let ada: Person
let folder: string
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  ada = await server.setUpAccount()
  const body = { settings: { session_record: true } }
  await ada.client.call(operations.namespaces.update, { params: { tenant: ada.tenant }, body })
})
afterAll(() => server.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'web-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
})

/** A device that serves its files by OpenSSH's program. */
const withFiles: Behaviour = (kind, header, stream) => (kind === 'auth' ? judging(stream) : serveFiles(header, stream))

function serveFiles(header: object, stream: LinkStream): StreamHandler {
  const run = 'run' in header ? header.run : undefined
  expect(run).toEqual({ type: 'subsystem', name: 'sftp' })
  expect(header).not.toHaveProperty('pty')
  const program = spawn(SFTP_SERVER, [], { cwd: folder })
  program.stdout.on('data', (data: Buffer) => stream.write(data))
  program.stderr.on('data', (data: Buffer) => stream.write(data, 1))
  program.on('close', (code) => {
    stream.control({ type: 'exit', status: code ?? 1 })
    stream.close()
  })
  stream.control({ type: 'started' })
  return {
    data(data) {
      program.stdin.write(Buffer.from(data))
      stream.consumed(data.length)
    },
    eof: () => program.stdin.end(),
    closed: () => program.kill(),
  }
}

interface FilesPage {
  readonly page: Page
  readonly files: Client
  readonly session: string
  readonly token: string
}

async function greeted(uid: DeviceUid): Promise<Page> {
  const { body } = await ada.client.call(operations.terminals.open, { params: { uid }, body: { username: 'root' } })
  const page = await openPage(server)
  page.say({ type: 'files', ticket: body.ticket })
  return page
}

/** Passes output on to a client of the page, beginning after what it has had. */
function feed(page: Page, files: Client, from: number): void {
  let passed = from
  page.socket.on('message', () => {
    const output = page.output()
    files.received(output.subarray(passed))
    passed = output.length
  })
}

async function filesPage(uid: DeviceUid): Promise<FilesPage> {
  const page = await greeted(uid)
  const { session } = await page.next('welcome')
  page.say({ type: 'password', password: DEVICE_PASSWORD })
  const { token } = await page.next('ready')
  let sent = 0
  const files = new Client((data) => {
    page.data(sent, data)
    sent += data.length
  })
  feed(page, files, 0)
  expect(await files.start()).toMatchObject({ type: 'version', version: 3 })
  return { page, files, session, token }
}

async function write(files: Client, path: string, contents: string): Promise<void> {
  const handle = await files.handle({
    type: 'open',
    path: bytes(path),
    flags: OPEN.write | OPEN.create | OPEN.exclusive,
    ...NO_ATTRIBUTES,
  })
  expect(await files.status({ type: 'write', handle, offset: 0n, data: bytes(contents) })).toBe(STATUS.ok)
  expect(await files.status({ type: 'close', handle })).toBe(STATUS.ok)
}

async function rowOf(session: string) {
  const { body } = await ada.client.call(operations.sessions.list, { query: { per_page: '100' } })
  return body.find(({ uid }) => uid === session)
}

describe('files in a browser', () => {
  it('are those of the device, and what happens to them stands in the session', async () => {
    const { device } = await fakeDevice(server, ada, withFiles)
    await writeFile(join(folder, 'notes'), 'from the device')
    const { page, files, session } = await filesPage(device.uid)

    expect((await files.list(bytes('.'))).flat().map(String).toSorted()).toEqual(['.', '..', 'notes'])
    await write(files, 'upload', 'from the browser')
    expect(await readFile(join(folder, 'upload'), 'utf8')).toBe('from the browser')
    const handle = await files.handle({ type: 'open', path: bytes('notes'), flags: OPEN.read, ...NO_ATTRIBUTES })
    const read = await files.ask({ type: 'read', handle, offset: 0n, length: 100 })
    expect(read.type === 'data' && read.data.toString()).toBe('from the device')
    await files.status({ type: 'close', handle })
    await files.status({ type: 'remove', path: bytes('missing') })

    page.say({ type: 'bye' })
    await once(page.socket, 'close')
    const row = await until(async () => {
      const found = await rowOf(session)
      return found?.closed && found
    })
    expect(row).toMatchObject({ type: 'web', authenticated: true, closed: { by: 'user' } })
    const params = { uid: row.uid }
    const { body } = await ada.client.call(operations.sessions.get, { params })
    const told = JSON.stringify(body.events)
    expect(row.events.types).toEqual(expect.arrayContaining(['subsystem', 'file']))
    expect(row.events.types).not.toContain('pty-req')
    for (const part of ['"upload"', '"download"', 'notes', 'No such file']) expect(told).toContain(part)
  })

  it('go on where they were after the WebSocket has dropped', async () => {
    const { device } = await fakeDevice(server, ada, withFiles)
    const contents = Buffer.alloc(200_000, 'bowline ')
    await writeFile(join(folder, 'large'), contents)
    const first = await filesPage(device.uid)
    const handle = await first.files.handle({ type: 'open', path: bytes('large'), flags: OPEN.read, ...NO_ATTRIBUTES })
    first.page.socket.terminate()
    const output = first.page.output()
    const page = await resumedPage(server, first.token, output)
    const { received } = await page.next('resumed')
    let sent = received
    const files = new Client((data) => {
      page.data(sent, data)
      sent += data.length
    })
    feed(page, files, output.length)
    const read = await files.ask({ type: 'read', handle, offset: 0n, length: contents.length })
    expect(read.type === 'data' && contents.subarray(0, read.data.length).equals(read.data)).toBe(true)
  })

  it('never mix with what the file server writes to stderr', async () => {
    const { device } = await fakeDevice(server, ada, (kind, header, stream) => {
      if (kind !== 'auth') stream.write(Buffer.from('locale: cannot set LC_ALL\n'), 1)
      return withFiles(kind, header, stream)
    })
    await writeFile(join(folder, 'one'), '')
    const { files } = await filesPage(device.uid)
    expect((await files.list(bytes('.'))).flat().map(String)).toContain('one')
  })

  it('are refused in plain words where the device has none', async () => {
    const { device } = await fakeDevice(server, ada, (kind, _, stream) => {
      if (kind === 'auth') return judging(stream)
      return { by: 'agent', reason: 'refused', message: 'the shell of root does not allow file transfer' }
    })
    const page = await greeted(device.uid)
    await page.next('welcome')
    page.say({ type: 'password', password: DEVICE_PASSWORD })
    await page.next('ready')
    const { message } = await page.next('ended')
    expect(message).toMatch(/^the device offers no files over SFTP\. It reported: .*does not allow file transfer$/)
  })

  it('are closed to whom a firewall rule refuses, and end once it does', async () => {
    const { device } = await fakeDevice(server, ada, withFiles)
    const { page, session } = await filesPage(device.uid)
    const rule = { priority: 1, source_ip: '.*', username: 'root', filter: { hostname: '.*' } }
    const body = { ...rule, action: 'deny' as const, active: true }
    const { body: made } = await ada.client.call(operations.firewall.create, { body })
    onTestFinished(async () => void (await ada.client.call(operations.firewall.remove, { params: { id: made.id } })))
    expect(await page.next('ended')).toMatchObject({ by: 'policy', reason: 'firewall' })
    // Events are written in batches.
    await until(async () => (await rowOf(session))?.events.types.includes('subsystem'))

    const refused = await greeted(device.uid)
    const { session: second } = await refused.next('welcome')
    refused.say({ type: 'password', password: DEVICE_PASSWORD })
    const row = await until(async () => {
      const found = await rowOf(second)
      return found?.closed && found
    })
    expect(row).toMatchObject({ authenticated: false, closed: { by: 'policy', reason: 'firewall' } })
    expect(row.events.types).not.toContain('subsystem')
  })

  it('take no size of a terminal, and no second beginning', async () => {
    const { device } = await fakeDevice(server, ada, withFiles)
    const { page } = await filesPage(device.uid)
    page.say({ type: 'resize', columns: 80, rows: 24, width: 0, height: 0 })
    expect((await page.next('ended')).message).toBe('Only a terminal has a size.')
  })
})
