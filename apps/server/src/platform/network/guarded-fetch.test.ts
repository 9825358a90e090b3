import { once } from 'node:events'
import { createServer } from 'node:net'
import { listeningPort } from '@bowline/base/testing/listening-port'
import { startSlowTlsServer } from '@bowline/testkit/slow-tls-server'
import { expect, it, onTestFinished } from 'vitest'
import { addressRanges } from './address.ts'
import { guardedFetch } from './guarded-fetch.ts'

const rules = { privateNetworks: false, allowed: addressRanges(['127.0.0.0/8']) }

it('computes no key exchange in a group that the server chooses', async () => {
  const slow = await startSlowTlsServer()
  onTestFinished(() => slow.close())
  const wanted = { maxBytes: 1_000, timeoutMs: 30_000 }
  await expect(guardedFetch(`https://127.0.0.1:${slow.port}/`, rules, wanted)).rejects.toThrow('cannot be reached')
  expect(slow.handshakes()).toBe(0)
})

it.each([
  ['switches to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['switches protocols without a name', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['ends before its headers do', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['ends before its body does', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'],
])('refuses an answer that %s', async (_, answer) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = `http://127.0.0.1:${listeningPort(server)}/`
  await expect(guardedFetch(address, rules, { maxBytes: 1_000, timeoutMs: 1_000 })).rejects.toThrow(/^it |cannot/)
})
