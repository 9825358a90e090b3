// TLS that is meant to keep this process busy: the key of a connector, and the key exchange of an engine.
import { generateKeyPairSync } from 'node:crypto'
import { systemClock } from '@bowline/base/clock'
import { startSlowTlsServer } from '@bowline/testkit/slow-tls-server'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from './client.ts'
import { makeCertificates } from './testing/certificates.ts'

const judge = () => Promise.resolve({ address: '127.0.0.1' })

it('signs no handshake with a key of a connector that takes long', async () => {
  const { ca, client } = makeCertificates()
  const key = generateKeyPairSync('rsa', { modulusLength: 4_104 }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const target = { host: 'engine.example.org', port: 9, judge }
  const engine = createEngine({ ...target, tls: { ca, cert: client.cert, key } }, systemClock)
  await expect(engine.info()).rejects.toThrow('the private key of the connector is too large')
})

it('computes no key exchange in a group that the engine chooses', async () => {
  const slow = await startSlowTlsServer()
  onTestFinished(() => slow.close())
  const { client } = makeCertificates()
  const tls = { ca: slow.cert, ...client }
  const engine = createEngine({ host: '127.0.0.1', port: slow.port, judge, tls }, systemClock)
  await expect(engine.info()).rejects.toThrow(/TLS with the engine failed/)
  expect(slow.handshakes()).toBe(0)
})
