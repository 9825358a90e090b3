// Recording in the gateway: all output of a device before the client receives it; no input.
import { type FileHandle, open, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import { LINK_DEFAULTS, type LinkStream } from '@bowline/link/api'
import type { TestClient } from '@bowline/ssh/testing/test-client'
import * as n from '@bowline/ssh/wire/numbers'
import { WireWriter } from '@bowline/ssh/wire/writer'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { fakeDevice, judging, signedIn } from '../../testing/gateway.ts'
import { until } from '@bowline/testkit/until'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  person = await server.setUpAccount()
  await set({ session_record: true })
})
afterAll(() => server.close())

async function set(settings: {
  session_record?: boolean
  recording_policy?: 'best-effort' | 'required'
  forwarding_unrecorded?: boolean
}) {
  await person.client.call(operations.namespaces.update, { params: { tenant: person.tenant }, body: { settings } })
}

/** The device's answer to every dial. */
const NOBODY_LISTENS = 'nobody listens there'

/** A device whose process the test controls. @param drain called when it can write again */
async function device(
  drain?: (stream: LinkStream) => void,
): Promise<{ name: string; process: () => Promise<LinkStream>; heard: string[] }> {
  const { promise, resolve } = Promise.withResolvers<LinkStream>()
  const heard: string[] = []
  const fake = await fakeDevice(server, person, (kind, _, stream) => {
    if (kind === 'auth') return judging(stream)
    if (kind === 'dial') {
      stream.close({ by: 'agent', reason: 'refused', message: NOBODY_LISTENS })
      return { data: () => undefined, closed: () => undefined }
    }
    stream.control({ type: 'started' })
    resolve(stream)
    return {
      data(bytes) {
        heard.push(Buffer.from(bytes).toString())
        stream.consumed(bytes.length)
      },
      ...(drain && { drain: () => drain(stream) }),
      closed: () => undefined,
    }
  })
  return { name: fake.login('root'), process: () => promise, heard }
}

async function start(client: TestClient, what: 'shell' | 'exec', window = 1 << 20): Promise<number> {
  const channel = await client.openSession(0, { window })
  if (what === 'shell') {
    const pty = client.channelRequest(channel, 'pty-req').string('xterm').uint32(100).uint32(30).uint32(0).uint32(0)
    client.send(pty.string(Buffer.from([0])).done())
    await client.next(n.MSG_CHANNEL_SUCCESS)
    client.send(client.channelRequest(channel, 'shell').done())
  } else client.send(client.channelRequest(channel, 'exec').string('job').done())
  await client.next(n.MSG_CHANNEL_SUCCESS)
  return channel
}

/** Reads the next output. */
async function dataOf(client: TestClient): Promise<Buffer> {
  const reader = await client.read(n.MSG_CHANNEL_DATA)
  reader.uint32('recipient')
  return Buffer.from(reader.string('data'))
}

const uidOf = (client: TestClient): SessionUid => client.sessionId?.toString('hex') as SessionUid

/** Reads a recording after the end of its session. */
async function recording(uid: SessionUid, format: 'cast' | 'cast3' = 'cast'): Promise<string> {
  await until(async () => (await verdict(uid))?.result === 'intact')
  const answer = await person.client.open(operations.sessions.getRecord, {
    params: { uid, seat: '0' },
    query: { format },
  })
  return answer.text()
}

const verdict = (uid: SessionUid) =>
  person.client.call(operations.sessions.verifyRecord, { params: { uid, seat: '0' } }).then(
    ({ body }) => body,
    () => undefined,
  )

/** Events without their times. */
const eventsOf = (cast: string): unknown[] =>
  cast
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('['))
    .map((line) => (JSON.parse(line) as unknown[]).slice(1))

describe('recorded sessions', () => {
  it('writes output to the file before the client receives it, with sizes and exit but no input', async () => {
    const { name, process, heard } = await device()
    const client = await signedIn(server, name)
    const channel = await start(client, 'shell')
    const stream = await process()
    client.sendData(channel, Buffer.from('typed where nothing is echoed\r'))
    await until(() => heard.join('').endsWith('\r'))
    stream.write(Buffer.from('Gr\u00fc\u00dfe \u{1f600}'))
    let seen = ''
    while (!seen.includes('\u{1f600}')) seen += (await dataOf(client)).toString()
    const [file = ''] = await readdir(join(server.dataFolder, 'recordings'))
    const written = await readFile(join(server.dataFolder, 'recordings', file), 'utf8')
    expect(written).toContain('"Grüße \u{1f600}"')
    client.send(
      client.channelRequest(channel, 'window-change', false).uint32(120).uint32(40).uint32(0).uint32(0).done(),
    )
    await until(async () => (await events(uidOf(client))).includes('window-change'))
    // One character split into two pieces.
    const euro = Buffer.from('\u20ac')
    stream.write(euro.subarray(0, 1))
    stream.write(euro.subarray(1))
    stream.control({ type: 'exit', status: 3 })
    stream.close()
    await client.next(n.MSG_CHANNEL_CLOSE)
    client.socket.destroy()
    const uid = uidOf(client)
    const three = await recording(uid, 'cast3')
    expect(eventsOf(three)).toEqual([
      ['o', 'Grüße \u{1f600}'],
      ['r', '120x40'],
      ['o', '\u20ac'],
      ['x', '3'],
    ])
    expect(three).not.toContain('typed where')
    expect(await recording(uid)).toMatch(/^\{"version":2,"width":100,"height":30,.*"TERM":"xterm"/)
    const { body } = await person.client.call(operations.sessions.get, { params: { uid } })
    expect(body.recorded).toBe(true)
    expect(await verdict(uid)).toMatchObject({ result: 'intact', complete: true, bad_chunk: null })
    const { body: frames } = await person.client.call(operations.sessions.getRecord, { params: { uid, seat: '0' } })
    expect(frames.map(({ message, width, height }) => [message, width, height])).toEqual([
      ['Grüße \u{1f600}', 100, 30],
      ['\u20ac', 120, 40],
    ])
  })

  it('records a session without a terminal, including stderr', async () => {
    const { name, process } = await device()
    const client = await signedIn(server, name)
    await start(client, 'exec')
    const stream = await process()
    stream.write(Buffer.from('out'), 0)
    stream.write(Buffer.from('err'), 1)
    stream.control({ type: 'exit', status: 0 })
    stream.close()
    await client.next(n.MSG_CHANNEL_CLOSE)
    client.socket.destroy()
    const all = eventsOf(await recording(uidOf(client), 'cast3'))
    expect(new Set(all.map(String))).toEqual(new Set(['o,out', 'o,err', 'x,0']))
  })

  it('creates no recording when recording is disabled', async () => {
    await set({ session_record: false })
    const { name, process } = await device()
    const client = await signedIn(server, name)
    await start(client, 'exec')
    const stream = await process()
    stream.close()
    await client.next(n.MSG_CHANNEL_CLOSE)
    const uid = uidOf(client)
    expect(await outcome(person.client.call(operations.sessions.getRecord, { params: { uid, seat: '0' } }))).toBe(
      '404 NOT_FOUND',
    )
    await set({ session_record: true })
  })
})

describe('forwarding with required recording', () => {
  /** The gateway's answer to `ssh -W`. */
  async function dial(): Promise<string> {
    const { name } = await device()
    const client = await signedIn(server, name)
    const fields = new WireWriter().string('127.0.0.1').uint32(22).string('127.0.0.1').uint32(1).done()
    client.sendOpen('direct-tcpip', 7, { fields })
    const reader = await client.read(n.MSG_CHANNEL_OPEN_FAILURE)
    reader.uint32('recipient')
    reader.uint32('code')
    return reader.text('message')
  }

  it('refuses forwarding while recordings are required', async () => {
    await set({ session_record: true, recording_policy: 'required' })
    expect(await dial()).toContain('Forwarding is off while recordings are required')
  })

  it('allows forwarding with the setting forwarding_unrecorded', async () => {
    await set({ session_record: true, recording_policy: 'required', forwarding_unrecorded: true })
    expect(await dial()).toBe(NOBODY_LISTENS)
    await set({ forwarding_unrecorded: false })
  })

  it('allows forwarding with best-effort or disabled recording', async () => {
    await set({ session_record: true, recording_policy: 'best-effort' })
    expect(await dial()).toBe(NOBODY_LISTENS)
    await set({ session_record: false, recording_policy: 'required' })
    expect(await dial()).toBe(NOBODY_LISTENS)
    await set({ session_record: true, recording_policy: 'best-effort' })
  })
})

describe('stalled disk', () => {
  /** Limit of pending bytes in the server: credit of one stream, and socket buffers. */
  const MAX_WAITING = LINK_DEFAULTS.windowMaxBytes + 2 * LINK_DEFAULTS.socketHighBytes
  const flood = Buffer.from(Array.from({ length: 400_000 }, (_, line) => `line ${line} of a flood\r\n`).join(''))

  it.each(['best-effort', 'required'] as const)(
    'applies backpressure to the device without loss (%s)',
    async (policy) => {
      await set({ recording_policy: policy })
      let sent = 0
      const write = (stream: LinkStream): void => {
        for (let goesOn = true; goesOn && sent < flood.length;) {
          const piece = Buffer.from(flood.subarray(sent, sent + 50_000))
          sent += piece.length
          goesOn = stream.write(piece)
        }
      }
      const { name, process } = await device(write)
      const client = await signedIn(server, name)
      await start(client, 'shell', 2 ** 31)
      const stream = await process()
      // The connected line: the shell is running.
      await client.next(n.MSG_CHANNEL_EXTENDED_DATA)
      const resume = await stallDisk()
      write(stream)
      for (let before = -1; before < sent;) {
        before = sent
        for (let trip = 0; trip < 10; trip += 1) await server.fetch('/healthcheck')
      }
      expect(sent - stream.queuedBytes).toBeGreaterThanOrEqual(LINK_DEFAULTS.windowBytes)
      expect(sent).toBeLessThan(MAX_WAITING)
      resume()
      const seen: Buffer[] = []
      for (let count = 0; count < flood.length; count += seen.at(-1)?.length ?? 0) seen.push(await dataOf(client))
      expect(Buffer.concat(seen).equals(flood)).toBe(true)
      stream.control({ type: 'exit', status: 0 })
      stream.close()
      await client.next(n.MSG_CHANNEL_CLOSE)
      client.socket.destroy()
      const output = eventsOf(await recording(uidOf(client), 'cast3')).flatMap((event) => {
        const [code, data] = event as unknown[]
        return code === 'o' ? [String(data)] : []
      })
      expect(output.join('') === flood.toString()).toBe(true)
    },
  )
})

/** Stalls all file writes. @returns resume */
async function stallDisk(): Promise<() => void> {
  await using file = await open('/dev/null')
  const handles: Pick<FileHandle, 'write'> = Object.getPrototypeOf(file)
  const { write } = handles
  const { promise, resolve } = Promise.withResolvers<void>()
  handles.write = new Proxy(write, {
    async apply(target, handle, parameters) {
      await promise
      return Reflect.apply(target, handle, parameters)
    },
  })
  const resume = (): void => {
    handles.write = write
    resolve()
  }
  onTestFinished(resume)
  return resume
}

async function events(uid: SessionUid): Promise<readonly string[]> {
  return (await person.client.call(operations.sessions.get, { params: { uid } })).body.events.types
}
