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
  ['has a status that does not exist', 'HTTP/1.1 600 Unknown\r\ncontent-length: 0\r\n\r\n'],
  ['has the last status of three digits', 'HTTP/1.1 999 Unknown\r\ncontent-length: 2\r\n\r\nno'],
])('refuses an answer that %s', async (_, answer) => {
  const wanted = { maxBytes: 1_000, timeoutMs: 1_000 }
  await expect(guardedFetch(await answering(answer), rules, wanted)).rejects.toThrow(/^it |cannot/)
})

it.each([204, 205, 304])('takes the status %i, which has no body', async (status) => {
  const address = await answering(`HTTP/1.1 ${status} Empty\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  const answer = await guardedFetch(address, rules, { maxBytes: 1_000, timeoutMs: 10_000 })
  expect(answer.status).toBe(status)
  expect(await answer.text()).toBe('')
})

it('has the status of an answer that is larger than the caller reads, where that is all it needs', async () => {
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'a'.repeat(5_000)}`
  const wanted = { maxBytes: 1_000, timeoutMs: 10_000 }
  await expect(guardedFetch(await answering(answer), rules, wanted)).rejects.toThrow('larger than 1000 bytes')
  const { status } = await guardedFetch(await answering(answer), rules, { ...wanted, statusOnly: true })
  expect(status).toBe(200)
})

/** @returns the address of a server that writes these bytes whatever it is asked */
async function answering(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(bytes))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${listeningPort(server)}/`
}
