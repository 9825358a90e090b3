// Services in the network of a container, reached by OpenSSH and through tunnels. The container has a network of its own
// without a way out, so that what answers is in it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { Device } from '@bowline/contract/schemas/device'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { freePort } from '@bowline/testkit/free-port'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'
import { TUNNEL_SETTINGS, ask, openTunnel } from '../tunnels/testing/device.ts'
import { type EngineWorld, LOOPBACK_ALLOWED, engineWorld } from './testing.ts'

const { namespaces } = operations
const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

const SERVICES = `mkdir -p /tmp/www; echo served inside > /tmp/www/index.html; head -c 2000000 /dev/zero > /tmp/www/zeros
httpd -p 127.0.0.1:8080 -h /tmp/www
nc -ll -p 7 -e cat &
until [ "$(cat /proc/net/tcp /proc/net/tcp6 | grep -c ' 0A ')" = 2 ]; do sleep 0.1; done
touch /tmp/ready
wait`
let engine: ContainerEngine
let server: BootedServer
let world: EngineWorld
let device: Device
let web: string
beforeAll(async () => {
  if (missing !== undefined) return
  engine = await startContainerEngine()
  await engine.run('web', '--network', 'none')
  await engine.podman('exec', '-d', 'web', '/bin/sh', '-c', SERVICES)
  await engine.podman('exec', 'web', '/bin/sh', '-c', 'until [ -e /tmp/ready ]; do sleep 0.1; done')
  server = await bootServer({ settings: { ...LOOPBACK_ALLOWED, ...TUNNEL_SETTINGS } })
  world = await engineWorld(server, await server.setUpAccount(), engine)
  device = await world.accept('web')
  web = `${world.person.namespace}.web`
}, 60_000)
afterAll(async () => {
  world?.close()
  await server?.close()
  await engine?.close()
})

describe.skipIf(missing !== undefined)('a service in a container', () => {
  it('answers a connection that standard input and output are (-W), to its last byte', async () => {
    const input = Buffer.alloc(1_000_000, 'abcdefghi\n')
    const { code, stdout } = await world.ssh(`ada@${web}`, [], input, ['-W', '127.0.0.1:7'])
    expect([code, stdout.equals(input)]).toEqual([0, true])
  })

  it('answers at a forwarded port (-L)', async () => {
    const port = await freePort()
    const child = world.startSsh(`ada@${web}`, [], ['-N', '-L', `127.0.0.1:${port}:localhost:8080`])
    onTestFinished(() => void child.kill('SIGKILL'))
    const page = await until(() =>
      fetch(`http://127.0.0.1:${port}/`).then(
        (answer) => answer.text(),
        () => undefined,
      ),
    )
    expect(page).toBe('served inside\n')
    const all = await Promise.all(
      Array.from({ length: 4 }, async () => (await fetch(`http://127.0.0.1:${port}/zeros`)).arrayBuffer()),
    )
    expect(all.map(({ byteLength }) => byteLength)).toEqual([2_000_000, 2_000_000, 2_000_000, 2_000_000])
  })

  it('answers through a proxy for all ports (-D)', async () => {
    const port = await freePort()
    const child = world.startSsh(`ada@${web}`, [], ['-N', '-D', `127.0.0.1:${port}`])
    onTestFinished(() => void child.kill('SIGKILL'))
    const socket = await until(async () => {
      const opened = connect(port, '127.0.0.1')
      return (await once(opened, 'connect').catch(() => undefined)) && opened
    })
    // SOCKS5 without authentication (RFC 1928), then a connection to 127.0.0.1:7.
    socket.write(Buffer.from([5, 1, 0]))
    await once(socket, 'data')
    socket.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, 0, 7]))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.readUInt8(1)).toBe(0)
    socket.end('there and back')
    const [echo] = (await once(socket, 'data')) as [Buffer]
    expect(echo.toString()).toBe('there and back')
  })

  it('says why a connection cannot be made', async () => {
    const { code, stderr } = await world.ssh(`ada@${web}`, [], undefined, ['-W', '127.0.0.1:9', '-o', 'LogLevel=INFO'])
    expect(code).toBe(255)
    expect(stderr).toMatch(/refused/)
  })

  it('refuses to listen in a container (-R)', async () => {
    const options = ['-N', '-R', '0:127.0.0.1:1', '-o', 'ExitOnForwardFailure=yes', '-o', 'LogLevel=INFO']
    const { code, stderr } = await world.ssh(`ada@${web}`, [], undefined, options)
    expect(code).toBe(255)
    expect(stderr).toContain('remote port forwarding failed')
  })

  it('is not reached where the namespace forbids forwarding', async () => {
    const permit = (forwarding: boolean) =>
      world.person.client.call(namespaces.update, {
        params: { tenant: world.person.tenant },
        body: { settings: { forwarding } },
      })
    await permit(false)
    const { code } = await world.ssh(`ada@${web}`, [], undefined, ['-W', '127.0.0.1:7'])
    await permit(true)
    expect(code).toBe(255)
    expect((await world.ssh(`ada@${web}`, [], Buffer.from('x'), ['-W', '127.0.0.1:7'])).stdout.toString()).toBe('x')
  })

  it('is reached through a tunnel, one connection per request', async () => {
    const { full_address: host } = await openTunnel(world.person, { device }, 8_080)
    expect((await ask(server, host)).text).toBe('served inside\n')
    const answers = await Promise.all(Array.from({ length: 3 }, () => ask(server, host, { path: '/zeros' })))
    expect(answers.map(({ body }) => body.length)).toEqual([2_000_000, 2_000_000, 2_000_000])
    expect((await ask(server, host, { path: '/nothing' })).status).toBe(404)
  })

  it('that does not run has a page that says so, at its tunnel', async () => {
    const { full_address: host } = await openTunnel(world.person, { device }, 9)
    const { status, text } = await ask(server, host)
    expect(status).toBe(502)
    expect(text).not.toContain('served inside')
  })
})
