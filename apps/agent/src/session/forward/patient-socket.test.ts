import { once } from 'node:events'
import { type AddressInfo, Socket, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { PatientSocket } from './patient-socket.ts'

/** Bytes that a slow reader gets from a service that answers and closes without reading the request. */
async function readAfterFailedWrite(socket: Socket): Promise<string> {
  const server = createServer((service) => {
    service.pause().on('error', () => undefined)
    service.write('not for you', () => service.destroy())
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const gone = once(server, 'connection').then(([service]) => once(service as Socket, 'close'))
  socket.pause().on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  await gone
  // The first one makes the other side's kernel answer with a reset, the next ones meet it.
  for (let count = 0; count < 3 && !socket.destroyed; count += 1) {
    await new Promise((resolve) => socket.write('more', resolve))
  }
  let text = ''
  socket.on('data', (bytes) => (text += String(bytes)))
  socket.resume()
  await closed
  return text
}

test('still reads what has come when a write fails, and then ends', async () => {
  expect(await readAfterFailedWrite(new PatientSocket())).toBe('not for you')
})
