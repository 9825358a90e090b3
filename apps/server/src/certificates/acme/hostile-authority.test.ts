// Authorities that mean harm. A double: real ones do none of this.
import { createPrivateKey } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, it } from 'vitest'
import { AcmeClient } from './client.ts'
import { newAccountKey } from './jws.ts'
import { type Proof, order } from './order.ts'

const BASE = 'https://ca.example'
const TOKEN = 'a-token-of-an-order-under-way'

/** Orders from an authority. @param answers documents by path @returns the failure, and the proofs that were shown */
async function orderFrom(answers: Readonly<Record<string, { readonly status?: number; readonly body: object }>>) {
  const clock = new ManualClock()
  const key = createPrivateKey(newAccountKey())
  const directory = { newNonce: `${BASE}/nonce`, newAccount: `${BASE}/account`, newOrder: `${BASE}/order` }
  const asked: string[] = []
  const client = new AcmeClient(
    (_, url) => {
      const path = new URL(url).pathname
      asked.push(path)
      const { status = 200, body } = { '/': { body: directory }, '/nonce': { body: {} }, ...answers }[path] ?? {
        status: 404,
        body: {},
      }
      const headers = { 'replay-nonce': 'nonce', location: `${BASE}/order/1` }
      return Promise.resolve({ status, headers, body: JSON.stringify(body) })
    },
    `${BASE}/`,
    key,
    () => clock.now(),
  )
  const shown: Proof[] = []
  const show = (proof: Proof) => {
    shown.push(proof)
    return Promise.resolve(() => Promise.resolve())
  }
  const parts = { client, key, clock, signal: new AbortController().signal, show }
  const wanted = { names: ['*.tunnels.example'], challenge: 'dns-01', replaces: undefined } as const
  const failure: unknown = await order(parts, wanted).catch((error: unknown) => error)
  return { failure: String(failure), shown, asked }
}

const ORDER = { body: { status: 'pending', authorizations: [`${BASE}/proof`], finalize: `${BASE}/finalize` } }
const proofOf = (value: string) => ({
  body: {
    status: 'pending',
    identifier: { type: 'dns', value },
    challenges: [{ type: 'dns-01', url: `${BASE}/challenge`, status: 'pending', token: TOKEN }],
  },
})

it.each([
  'mail.example',
  'tunnels.example.evil.example',
  'tunnels.example\nadd',
  '$(id)',
  '../tunnels.example',
  '--help',
  '',
])('shows no proof of %j, which was not ordered: the program could change that record', async (name) => {
  const { failure, shown } = await orderFrom({ '/order': ORDER, '/proof': proofOf(name) })
  expect(shown).toEqual([])
  expect(failure).toContain('a name that was not ordered')
})

it('shows the proof of the ordered name, in whatever case the authority writes it', async () => {
  const refused = { status: 403, body: { type: 'urn:ietf:params:acme:error:malformed', detail: 'no' } }
  const answers = { '/order': ORDER, '/proof': proofOf('Tunnels.Example'), '/challenge': refused }
  const { shown } = await orderFrom(answers)
  expect(shown.map(({ name }) => name)).toEqual(['tunnels.example'])
})

it('gives up an authority that takes no nonce', async () => {
  const refused = { status: 400, body: { type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' } }
  const { failure, asked } = await orderFrom({ '/order': refused })
  expect(failure).toContain('again')
  expect(asked.length).toBeLessThan(16)
})
