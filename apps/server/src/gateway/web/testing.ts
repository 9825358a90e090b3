// Browsers in tests of web terminals: a WebSocket client of this process, with the headers that a browser would send.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { onTestFinished } from 'vitest'
import type { BootedServer } from '../../testing.ts'

/** An upgrade that the server must refuse: the status it answers. */
export async function refusedUpgrade(
  server: BootedServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const socket = connect(server, path, headers)
  socket.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
    socket.once('open', () => reject(new Error('the upgrade was granted')))
  })
}

/** A WebSocket that is open, until the test is over. */
export async function openSocket(
  server: BootedServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WebSocket> {
  const socket = connect(server, path, headers)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

function connect(server: BootedServer, path: string, headers: Readonly<Record<string, string>>): WebSocket {
  const url = new URL(path, server.origin.replace('http', 'ws'))
  return new WebSocket(url, path.startsWith('/ws/terminal') ? ['bowline.terminal.v1'] : [], {
    headers: { Origin: server.origin, ...headers },
    perMessageDeflate: false,
  })
}
