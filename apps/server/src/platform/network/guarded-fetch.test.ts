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
