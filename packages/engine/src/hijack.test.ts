// The end of input over TLS: none of the output that has come by then is lost.
import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { expect, it, onTestFinished } from 'vitest'
import { endInput } from './hijack.ts'
import { makeCertificates } from './testing/certificates.ts'

/** Several records of TLS, which arrive together. */
const OUTPUT = Buffer.alloc(60_000, 'x')

it('keeps the output that came with the record at which the input is ended', async () => {
  const { ca, server } = makeCertificates()
  const listener = createServer({ ...server, allowHalfOpen: true }, (socket) => {
    socket.resume().once('end', () => socket.end())
    socket.write(OUTPUT)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void listener.close())
  await once(listener, 'listening')
  const place = { host: '127.0.0.1', port: listeningPort(listener), allowHalfOpen: true }
  const socket = connect({ ...place, ca })
  onTestFinished(() => void socket.destroy())
  socket.once('data', () => endInput(socket))
  let bytes = 0
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await once(socket, 'end')
  expect(bytes).toBe(OUTPUT.length)
})
