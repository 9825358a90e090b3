import { createClient } from '@bowline/contract/client'
import { administration } from '@bowline/contract/operations/instance/administration'
import { mfa } from '@bowline/contract/operations/mfa'
import { expect, it } from 'vitest'
import { fakeFetch, jsonResponse, makeUserAuth } from '../testing/answers.ts'
import { aTrace } from '../testing/trace.ts'
import { createApi } from './api.ts'
import { createProofRequests } from './proof-requests.ts'
import { createSession } from './session.ts'

/** A server that refuses until a proof is noted. */
function setUp() {
  const proofs = createProofRequests()
  const server = { isProven: false }
  const { fetch, requests } = fakeFetch((request) => {
    if (request.url.endsWith('/refresh')) return jsonResponse(makeUserAuth())
    if (server.isProven) return jsonResponse({ recovery_codes: ['a'] })
    return jsonResponse({ code: 'FRESH_PROOF_REQUIRED', message: 'Confirm that it is you.' }, { status: 403 })
  })
  const client = createClient({ origin: 'http://console.test', fetch })
  const session = createSession({
    client,
    exclusively: (work) => work(),
    broadcast: () => {},
    now: () => 0,
    trace: aTrace(),
  })
  const api = createApi(client, session, (reason) => proofs.ask(reason))
  const sent = () => requests.filter(({ url }) => url.endsWith('/recovery-codes')).length
  return { proofs, server, api, sent }
}

it('repeats a call that needs a fresh proof once the person has given it', async () => {
  const { proofs, server, api, sent } = setUp()
  const call = api.call(mfa.renewRecoveryCodes, {})
  await expect.poll(() => proofs.reason.get()).toBe('change')
  server.isProven = true
  proofs.settle(true)
  expect((await call).body.recovery_codes).toEqual(['a'])
  expect([sent(), proofs.reason.get()]).toEqual([2, undefined])
})

it('fails with the server’s reason, and sends nothing again, when the person declines', async () => {
  const { proofs, api, sent } = setUp()
  const failure = api.call(mfa.renewRecoveryCodes, {}).catch((error: unknown) => error)
  await expect.poll(() => proofs.reason.get()).toBe('change')
  proofs.settle(false)
  expect(await failure).toMatchObject({ code: 'FRESH_PROOF_REQUIRED' })
  expect(sent()).toBe(1)
})

it('asks once for calls that need a proof at the same time', async () => {
  const { proofs, server, api, sent } = setUp()
  const calls = [api.call(mfa.renewRecoveryCodes, {}), api.call(mfa.renewRecoveryCodes, {})]
  await expect.poll(sent).toBe(2)
  await expect.poll(() => proofs.reason.get()).toBe('change')
  server.isProven = true
  proofs.settle(true)
  expect(await Promise.all(calls)).toHaveLength(2)
  expect(sent()).toBe(4)
})

it('names reading as the reason, unless a change asks for the same proof', async () => {
  const { proofs, server, api } = setUp()
  const reading = api.call(administration.listPeople, { query: {} }).catch((error: unknown) => error)
  await expect.poll(() => proofs.reason.get()).toBe('read')
  const changing = api.call(mfa.renewRecoveryCodes, {})
  await expect.poll(() => proofs.reason.get()).toBe('change')
  server.isProven = true
  proofs.settle(true)
  await Promise.all([reading, changing])
  expect(proofs.reason.get()).toBeUndefined()
})
