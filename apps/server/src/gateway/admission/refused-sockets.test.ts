// Refused connections must cost nothing: their descriptors are closed at once, whatever the client does.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type Socket, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestClient } from '@bowline/ssh/testing/test-client'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { fakeDevice } from '../../testing/gateway.ts'
import { until } from '@bowline/testkit/until'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_MAX_UNAUTHENTICATED: '10' } })
  person = await server.setUpAccount()
})
afterAll(() => server.close())

/** Number of open sockets on the SSH port, except the listener. */
function heldSockets(): number {
  const port = server.sshPort.toString(16).toUpperCase().padStart(4, '0')
  const LISTENING = '0A'
  // 127.0.0.1 as the kernel prints it: clients at other addresses may have the same port.
  const HOST = '0100007F'
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state = '', , , , , , inode = '0']) => {
      return local.endsWith(`${HOST}:${port}`) && state !== LISTENING && inode !== '0'
    }).length
}

async function metric(name: string): Promise<number> {
  const text = await (await server.fetch('/metrics', { headers: server.nodeHeaders })).text()
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].map(([, value]) => Number(value))
  return values.reduce((sum, value) => sum + value, 0)
}

describe('refused connections', () => {
  it('closes 1,000 refused sockets of a passive client while another source signs in', async () => {
    const device = await fakeDevice(server, person)
    const sockets: Socket[] = []
    for (let count = 0; count < 1_000; count += 1) {
      const socket = connect({
        host: '127.0.0.1',
        port: server.sshPort,
        localAddress: '127.0.0.21',
        allowHalfOpen: true,
      })
      socket.on('error', () => undefined)
      sockets.push(socket)
      if (count % 50 === 49) await once(socket, 'connect')
    }
    const own = connect({ host: '127.0.0.1', port: server.sshPort, localAddress: '127.0.0.22' })
    const client = new TestClient(own, {})
    await once(own, 'connect')
    await client.signIn(device.login('root'))
    expect(client.ended).toBe(false)
    // Nearly all: those admitted time out after seconds, and a few more are admitted in their place.
    await until(async () => (await metric('bowline_ssh_refused_total')) >= 900, { timeout: 20_000 })
    // Only admitted ones remain, while they may still sign in.
    await until(async () => heldSockets() <= (await metric('bowline_ssh_connections')), { timeout: 20_000 })
    client.socket.destroy()
    for (const socket of sockets) socket.destroy()
  }, 60_000)
})
