// The client with a real engine (podman): containers, files, processes with and without a terminal, events; in clear and
// over TLS with client certificates.
import { once } from 'node:events'
import { systemClock } from '@bowline/base/clock'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { type TlsDoor, startTlsDoor } from '@bowline/testkit/tls-door'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, createEngine } from './client.ts'
import { Demultiplexer } from './multiplexed.ts'
import { makeCertificates } from './testing/certificates.ts'

const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

const certificates = makeCertificates()
const judge = (address: string) => Promise.resolve({ address })
let real: ContainerEngine
let door: TlsDoor
let web: string
let engines: Record<'in clear' | 'over TLS', Engine>
beforeAll(async () => {
  if (missing !== undefined) return
  real = await startContainerEngine()
  web = await real.run('web')
  const { ca, server } = certificates
  door = await startTlsDoor(real, { ca, ...server })
  const tls = { ca, ...certificates.client }
  engines = {
    'in clear': createEngine({ host: real.host, port: real.port, judge }, systemClock),
    'over TLS': createEngine({ host: real.host, port: door.port, tls, judge }, systemClock),
  }
})
afterAll(async () => {
  door?.close()
  await real?.close()
})

/** Runs a command to its end. */
async function runIn(engine: Engine, command: readonly string[], input = '', tty = false) {
  const exec = await engine.createExec(web, { command, env: ['GREETING=hello'], user: 'ada', tty })
  const socket = await engine.startExec(exec, tty)
  const lanes: [Buffer[], Buffer[]] = [[], []]
  const parts = new Demultiplexer((bytes, lane) => lanes[lane].push(Buffer.from(bytes)))
  socket.on('data', (bytes: Buffer) => (tty ? lanes[0].push(bytes) : parts.push(bytes)))
  socket.resume()
  if (tty) socket.write(input)
  else socket.end(input)
  await once(socket, 'end')
  socket.destroy()
  const state = await until(async () => {
    const found = await engine.inspectExec(exec)
    return found.isRunning ? undefined : found
  })
  return { code: state?.exitCode, out: Buffer.concat(lanes[0]).toString(), err: Buffer.concat(lanes[1]).toString() }
}

describe.skipIf(missing !== undefined).each(['in clear', 'over TLS'] as const)('an engine %s', (way) => {
  it(`tells its version and lists running containers ${way}`, async () => {
    const engine = engines[way]
    expect((await engine.version()).Version).toMatch(/^\d/)
    expect(await engine.info()).toHaveProperty('ServerVersion')
    expect(await engine.list()).toEqual([{ id: web, name: 'web', image: 'localhost/tiny:1', isRunning: true }])
    expect(await engine.inspect(web)).toMatchObject({ id: web, name: 'web', isRunning: true })
    expect(await engine.inspect('0'.repeat(64))).toBeUndefined()
  })

  it(`reads a file of a container ${way}`, async () => {
    expect((await engines[way].readFile(web, '/etc/passwd'))?.toString()).toContain('ada:x:1000')
    expect(await engines[way].readFile(web, '/etc/nothing')).toBeUndefined()
    expect(await engines[way].readFile(web, '/etc')).toBeUndefined()
  })

  it(`keeps the outputs, the exit code, the environment and the account of a process ${way}`, async () => {
    const script = 'echo $GREETING; id -un; echo wrong >&2; exit 7'
    const ended = await runIn(engines[way], ['/bin/sh', '-c', script])
    expect(ended).toEqual({ code: 7, out: 'hello\nada\n', err: 'wrong\n' })
  })

  it(`delivers all of the input and its end, and output after it ${way}`, async () => {
    const ended = await runIn(engines[way], ['/bin/sh', '-c', 'wc -c; echo after'], 'x'.repeat(300_000))
    expect(ended).toMatchObject({ code: 0, out: '300000\nafter\n' })
  })

  it(`runs a process with a terminal ${way}`, async () => {
    const ended = await runIn(engines[way], ['/bin/sh', '-c', 'tty; read word; echo "got $word"'], 'word\n', true)
    expect(ended.code).toBe(0)
    expect(ended.out).toMatch(/\/dev\/pts\/\d+\r\n(.|\s)*got word\r\n/)
  })

  it(`hears of containers that start and end ${way}`, async () => {
    const heard: string[] = []
    const watch = await engines[way].watch(
      (id) => heard.push(id),
      () => undefined,
    )
    const name = way === 'in clear' ? 'short' : 'other'
    const id = await real.run(name)
    await until(() => heard.includes(id))
    heard.length = 0
    await real.podman('rm', '-f', '-t', '0', name)
    await until(() => heard.includes(id))
    expect(heard).toContain(id)
    watch.close()
  })
})

it.skipIf(missing !== undefined)('refuses an engine whose certificate another CA has signed', async () => {
  const tls = { ...certificates.client, ca: makeCertificates().ca }
  const engine = createEngine({ host: real.host, port: door.port, tls, judge }, systemClock)
  await expect(engine.version()).rejects.toThrow('not signed by the CA')
})

it.skipIf(missing !== undefined)('refuses an engine whose certificate is for another address', async () => {
  const tls = { ca: certificates.ca, ...certificates.client }
  const lies = () => Promise.resolve({ address: real.host })
  const target = { host: 'engine.example.org', port: door.port, tls, judge: lies }
  await expect(createEngine(target, systemClock).version()).rejects.toThrow('for another address')
})

it.skipIf(missing !== undefined)('explains that an engine does not accept the client certificate', async () => {
  const stranger = makeCertificates()
  const tls = { ca: certificates.ca, ...stranger.client }
  const engine = createEngine({ host: real.host, port: door.port, tls, judge }, systemClock)
  await expect(engine.version()).rejects.toThrow(/client certificate/)
})
