import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RecordedStream } from '@bowline/link/testing/pair'
import { expect, onTestFinished, test } from 'vitest'
import { startAgent } from '../../testing.ts'

function placeOfSocket(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-engine-socket-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'engine.sock')
}

test('joins the server with the engine where its socket is named, and passes half-closes on', async () => {
  const engineSocket = placeOfSocket()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (bytes) => socket.write(String(bytes).toUpperCase()))
    socket.on('end', () => socket.end(' bye'))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(engineSocket, resolve))
  const { gateway } = startAgent({ engineSocket })
  const stream = RecordedStream.open(gateway, 'engine')
  stream.stream.write(Buffer.from('hello'))
  stream.stream.eof()
  expect(await stream.whenClosed()).toMatchObject({ by: 'agent', reason: 'done' })
  expect([stream.text(), stream.messages]).toEqual(['HELLO bye', [{ type: 'connected' }]])
})

test('offers no engine unless its socket is named', async () => {
  const { gateway } = startAgent()
  expect(await RecordedStream.open(gateway, 'engine').whenClosed()).toMatchObject({
    by: 'agent',
    reason: 'refused',
    message: 'the device does not offer its containers (BOWLINE_CONTAINERS)',
  })
})

test('connects to the named socket alone, whatever the server asks for', async () => {
  const { gateway } = startAgent({ engineSocket: placeOfSocket() })
  const other = { path: '/run/other.sock', host: '127.0.0.1', port: 80 }
  const cause = await RecordedStream.open(gateway, 'engine', other).whenClosed()
  expect(cause).toMatchObject({ by: 'agent', reason: 'connect-failed' })
  expect(cause.message).toMatch(/ENOENT .*engine\.sock/)
})
