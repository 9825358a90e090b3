// Malformed credentials: whatever the bytes are, the answer is a refusal, and nothing is stored.
import { operations } from '@bowline/contract/operations'
import type { NewCredential, SignedChallenge } from '@bowline/contract/schemas/passkey'
import { assert, asyncProperty, constantFrom, integer, oneof, tuple, uint8Array } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { SoftwareAuthenticator } from './testing/authenticator.ts'
import { PUBLIC_URL, addPasskey, codeOf, creationOptions, requestOptions } from './testing/people.ts'
import { challengeIn } from './ceremony.ts'

const { passkeys } = operations
let server: BootedServer
let ada: Person
let bob: Person
let authenticator: SoftwareAuthenticator
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_PUBLIC_URL: PUBLIC_URL, BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  ada = await server.setUpAccount()
  bob = await server.addPerson('bob')
  authenticator = (await addPasskey(bob, new SoftwareAuthenticator(PUBLIC_URL, { algorithm: 'EdDSA' }))).authenticator
})
afterAll(() => server.close())

/** CBOR that decoders stumble over: deep nesting, long lengths, endless maps, tags, floats, duplicate keys. */
const AWKWARD = [
  '',
  '81'.repeat(2_000),
  'a1'.repeat(2_000),
  '9f'.repeat(50),
  'bb7fffffffffffffff',
  '5b7fffffffffffffff00',
  '5a7fffffff',
  'bf61',
  'c1fb7ff8000000000000',
  'a363666d74646e6f6e656761747453746d74a068617574684461746140',
  'a263666d74646e6f6e6563666d74667061636b6564',
  'a1695f5f70726f746f5f5fa0',
  'f6',
].map((hex) => new Uint8Array(Buffer.from(hex, 'hex')))

const junk = oneof(constantFrom(...AWKWARD), uint8Array({ maxLength: 600 }))
/** Valid bytes with one of them changed, or cut. */
const damage = tuple(
  integer({ min: 0, max: 10_000 }),
  integer({ min: 1, max: 255 }),
  constantFrom('flip', 'cut', 'extend'),
)

function damaged(text: string, [at, value, how]: readonly [number, number, string]): string {
  const bytes = Buffer.from(text, 'base64url')
  const index = at % bytes.length
  if (how === 'flip') bytes[index] = (bytes[index] ?? 0) ^ value
  const changed =
    how === 'cut' ? bytes.subarray(0, index) : how === 'extend' ? Buffer.concat([bytes, Buffer.of(value)]) : bytes
  return changed.toString('base64url')
}

const REFUSED = ['PASSKEY_INVALID', 'PASSKEY_REFUSED', 'INVALID_INPUT', 'BODY_TOO_LARGE']
const RUNS = { numRuns: 60, seed: 20_261_123 }

describe('malformed credential', () => {
  const register = (credential: NewCredential) =>
    codeOf(ada.client.call(passkeys.register, { body: { name: 'broken', credential } }))
  const login = (credential: SignedChallenge) => codeOf(server.client().call(passkeys.login, { body: { credential } }))

  it('registers nothing for arbitrary bytes', async () => {
    const options = await creationOptions(ada)
    const made = new SoftwareAuthenticator(PUBLIC_URL).create(options)
    const property = asyncProperty(constantFrom('attestationObject', 'clientDataJSON'), junk, async (field, bytes) => {
      const response = { ...made.response, [field]: Buffer.from(bytes).toString('base64url') }
      expect(REFUSED).toContain(await register({ ...made, response }))
    })
    await assert(property, RUNS)
    expect((await ada.client.call(passkeys.list, {})).body).toEqual([])
  })

  it('signs nobody in with damaged signatures, data or handles', async () => {
    const options = await requestOptions(server)
    const real = authenticator.get(options)
    const fields = ['authenticatorData', 'clientDataJSON', 'signature', 'userHandle'] as const
    const property = asyncProperty(constantFrom(...fields), damage, async (field, change) => {
      const response = { ...real.response, [field]: damaged(real.response[field] ?? '', change) }
      expect(REFUSED).toContain(await login({ ...real, response }))
    })
    await assert(property, RUNS)
    expect(await login(real)).toBe('passed')
  })

  it.each(['', 'a b', 'ä', '+/==', 'AA==', '\u0000'])(
    'rejects %j, which is no base64url, by its field',
    async (text) => {
      const real = authenticator.get(await requestOptions(server))
      const answer = await server.fetch(passkeys.login.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ credential: { ...real, id: text } }),
      })
      expect([400, 422]).toContain(answer.status)
      expect(await answer.json()).toMatchObject({ message: expect.stringMatching(/credential\.id|body/) })
    },
  )
})

describe('challenge in client data', () => {
  it.each(['', 'not json', 'null', '[]', '7', '{}', '{"challenge":7}', '{"challenge":{}}'])(
    'is empty in %j',
    (text) => {
      expect(challengeIn(Buffer.from(text).toString('base64url'))).toBe('')
    },
  )
})
