// Engines that mean harm: nothing they answer takes more memory or time than the client allows, or leads elsewhere.
import type { Socket } from 'node:net'
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { expect, it, onTestFinished } from 'vitest'
import { firstFile } from './archive.ts'
import { createEngine } from './client.ts'
import { Demultiplexer } from './multiplexed.ts'
import { answered, endless, startHostileEngine } from './testing/hostile-engine.ts'

const ID = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

async function engineThat(answer: (line: string, socket: Socket) => void, clock = systemClock) {
  const hostile = await startHostileEngine(answer)
  onTestFinished(() => hostile.close())
  const judged: string[] = []
  const judge = (host: string) => {
    judged.push(host)
    return Promise.resolve({ address: '127.0.0.1' })
  }
  const target = { host: 'engine.example.org', port: hostile.port, judge }
  return { engine: createEngine(target, clock), hostile, judged, target }
}

it('dials the judged address for every call, and never a name', async () => {
  const { engine, judged } = await engineThat((_, socket) => socket.end(answered('200 OK', '{}')))
  await engine.info()
  await engine.version()
  expect(judged).toEqual(['engine.example.org', 'engine.example.org'])
})

it('dials nothing when the address is refused', async () => {
  const { hostile, target } = await engineThat((_, socket) => socket.end(answered('200 OK', '{}')))
  const judge = () => Promise.resolve({ refused: 'it leads to 169.254.169.254, which is not allowed' })
  await expect(createEngine({ ...target, judge }, systemClock).info()).rejects.toThrow('169.254.169.254')
  expect(hostile.requests).toEqual([])
})

it('follows no redirect', async () => {
  const away = ['Location: http://169.254.169.254/latest/meta-data/']
  const { engine, hostile, judged } = await engineThat((_, socket) => socket.end(answered('307 Elsewhere', '', away)))
  await expect(engine.info()).rejects.toThrow('redirects (status 307)')
  await expect(engine.startExec(ID, false)).rejects.toThrow('redirects (status 307)')
  expect([hostile.requests.length, judged.length]).toEqual([2, 2])
})

it('gives up a list that does not end', async () => {
  let written = (): number => 0
  const { engine } = await engineThat((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n[')
    written = endless(socket, Buffer.alloc(65_536, ' '))
  })
  await expect(engine.list()).rejects.toThrow('larger than 8388608 bytes')
  expect(written()).toBeLessThan(32_000_000)
})

it.each([
  ['a million containers', `[${'{},'.repeat(1_000_000)}{}]`, 'more than 250000 values'],
  ['a million empty members', `[{"Labels":{${'"":0,'.repeat(1_000_000)}"":0}}]`, 'more than 250000 values'],
  ['brackets in brackets', '['.repeat(4_000_000) + ']'.repeat(4_000_000), 'nested deeper than 64'],
  ['objects in objects', '[{"Id":'.repeat(1_000_000), 'nested deeper than 64'],
  ['a hundred thousand containers', `[${'0,'.repeat(100_000)}0]`, 'malformed'],
])('parses no list whose values would keep the process busy: %s', async (_, list, reason) => {
  const { engine } = await engineThat((_line, socket) => socket.end(answered('200 OK', list)))
  await expect(engine.list()).rejects.toThrow(reason)
})

it('counts no values in the strings of a list', async () => {
  const Image = '[{",\\"'.repeat(100_000)
  const list = JSON.stringify([{ Id: ID, Names: ['/web'], Image, State: 'running' }])
  const { engine } = await engineThat((_, socket) => socket.end(answered('200 OK', list)))
  expect(await engine.list()).toMatchObject([{ id: ID, name: 'web' }])
})

it('gives up headers that are too large', async () => {
  const { engine } = await engineThat((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    endless(socket, Buffer.from(`X-Filler: ${'x'.repeat(1_000)}\r\n`))
  })
  await expect(engine.info()).rejects.toThrow(/too large|HPE/)
})

it('gives up an engine that sends its headers or its body too slowly', async () => {
  const clock = new ManualClock()
  const begun: string[] = []
  const { engine } = await engineThat((line, socket) => {
    begun.push(line)
    socket.write(line.includes('/info') ? 'HTTP/1.1 200 ' : 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{')
  }, clock)
  const slow = engine.info()
  slow.catch(() => undefined)
  await until(() => begun.length === 1)
  clock.advance(10_001)
  await expect(slow).rejects.toThrow('in time')
  const slowBody = engine.version()
  slowBody.catch(() => undefined)
  await until(() => begun.length === 2)
  await until(() => clock.pending > 0)
  // The timer of the headers, then that of the body.
  await until(() => {
    clock.advance(9_000)
    return clock.pending === 0
  })
  await expect(slowBody).rejects.toThrow('did not finish its answer in time')
})

it('refuses answers that are cut off, no JSON, or of another shape', async () => {
  const bodies = ['{"Id": ', '[{"Id": "../../info", "Names": [], "State": "running"}]', '"text"']
  const { engine } = await engineThat((_, socket) => socket.end(answered('200 OK', bodies.shift() ?? '')))
  await expect(engine.list()).rejects.toThrow('not JSON')
  await expect(engine.list()).rejects.toThrow('malformed')
  await expect(engine.list()).rejects.toThrow('malformed')
  const cut = await engineThat((_, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{'))
  await expect(cut.engine.list()).rejects.toThrow(/cut|closed/)
})

it('refuses the description of another container', async () => {
  const body = JSON.stringify({ Id: OTHER, Name: '/x', State: { Running: true } })
  const { engine } = await engineThat((_, socket) => socket.end(answered('200 OK', body)))
  await expect(engine.inspect(ID)).rejects.toThrow('another container')
})

it('puts no id that is none into a path', async () => {
  const { engine, hostile } = await engineThat((_, socket) => socket.end(answered('200 OK', '{}')))
  await expect(engine.inspect('../info')).rejects.toThrow('id of a container is malformed')
  await expect(engine.inspectExec('x/../y')).rejects.toThrow('malformed')
  expect(hostile.requests).toEqual([])
})

it('quotes a failure of the engine on one short line', async () => {
  const message = `no\r\n\u001b[31msuch ${'x'.repeat(5_000)}`
  const { engine } = await engineThat((_, socket) => socket.end(answered('500 Wrong', JSON.stringify({ message }))))
  const failure: unknown = await engine.info().catch((error: unknown) => error)
  expect(String(failure)).toMatch(/status 500: no \[31msuch x+$/)
  expect(String(failure).length).toBeLessThan(300)
})

it('ends a stream of events with a line that is too long or malformed', async () => {
  for (const [bytes, reason] of [
    [Buffer.alloc(65_536, 'x'), 'longer than'],
    [Buffer.from('{"Type":\n'), 'not JSON'],
    [Buffer.from(`${'['.repeat(60_000)}\n`), 'nested deeper than 64'],
    [Buffer.from(`[${'0,'.repeat(30_000)}0]\n`), 'more than 5000 values'],
  ] as const) {
    const { engine } = await engineThat((_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      endless(socket, bytes)
    })
    const ended = await new Promise<Error>((resolve, reject) => {
      engine.watch(() => undefined, resolve).catch(reject)
    })
    expect(ended.message).toContain(reason)
  }
})

it('paces a flood of events', async () => {
  const clock = new ManualClock()
  const event = `${JSON.stringify({ Type: 'container', Action: 'start', Actor: { ID } })}\n`
  const { engine } = await engineThat((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    endless(socket, Buffer.from(event.repeat(600)))
  }, clock)
  let events = 0
  const watch = await engine.watch(
    () => (events += 1),
    () => undefined,
  )
  await until(() => events >= 500)
  const first = events
  // What one read of the socket brings, and no more before the clock moves.
  expect(first).toBeLessThan(3_000)
  clock.advance(1_001)
  await until(() => events > first)
  watch.close()
})

it('paces events that are large, which cost more to parse than many', async () => {
  const clock = new ManualClock()
  const attributes = { label: 'x'.repeat(200_000) }
  const event = JSON.stringify({ Type: 'container', Action: 'start', Actor: { ID, Attributes: attributes } })
  let written = (): number => 0
  const { engine } = await engineThat((_, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    written = endless(socket, Buffer.from(`${event}\n`))
  }, clock)
  let events = 0
  const watch = await engine.watch(
    () => (events += 1),
    () => undefined,
  )
  // The engine cannot send on: what was read is read no further, and the buffers between are full.
  await until(async () => {
    const before = written()
    await new Promise((resolve) => setImmediate(resolve))
    return events > 0 && before === written() && clock.pending > 0
  })
  expect(events).toBeLessThan(20)
  const first = events
  clock.advance(1_001)
  await until(() => events > first)
  watch.close()
})

it('passes a huge frame on as it comes', () => {
  let passed = 0
  const parts = new Demultiplexer((bytes) => (passed += bytes.length))
  parts.push(Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]))
  parts.push(Buffer.alloc(1_000))
  expect([passed, parts.isAtBoundary]).toEqual([1_000, false])
})

it('keeps the lanes of frames that arrive byte by byte', () => {
  const lanes: [string, string] = ['', '']
  const parts = new Demultiplexer((bytes, lane) => (lanes[lane] += bytes.toString()))
  const frames = Buffer.concat([
    Buffer.from([1, 0, 0, 0, 0, 0, 0, 3]),
    Buffer.from('out'),
    Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from([2, 0, 0, 0, 0, 0, 0, 3]),
    Buffer.from('err'),
  ])
  for (const byte of frames) parts.push(Buffer.of(byte))
  expect([lanes, parts.isAtBoundary]).toEqual([['out', 'err'], true])
})

it.each([[[3, 0, 0, 0, 0, 0, 0, 1]], [[1, 1, 0, 0, 0, 0, 0, 1]], [[0x48, 0x54, 0x54, 0x50, 0x2f, 0x31, 0x2e, 0x31]]])(
  'refuses the frame header %j',
  (header) => {
    const parts = new Demultiplexer(() => undefined)
    expect(() => parts.push(Buffer.from(header))).toThrow('mixes up')
  },
)

it('reads no link, no folder and no cut file out of an archive', () => {
  const entry = (type: string, size: string, content = ''): Buffer => {
    const header = Buffer.alloc(512)
    header.write('passwd')
    header.write(size, 124)
    header.write(type, 156)
    return Buffer.concat([header, Buffer.from(content.padEnd(512, '\0'))])
  }
  expect(firstFile(entry('0', '00000000003', 'abc'))?.toString()).toBe('abc')
  expect(firstFile(Buffer.concat([entry('x', '5', 'x=y'), entry('0', '1', 'a')]))?.toString()).toBe('a')
  for (const other of [entry('2', '0'), entry('5', '0'), entry('0', '77777777777', 'abc'), Buffer.alloc(700)]) {
    expect(firstFile(other)?.toString() ?? '').toBe('')
  }
})
