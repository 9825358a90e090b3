import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import { readPrivateKey } from '@bowline/ssh/keys/read-private-key'
import { verifySignature } from '@bowline/ssh/keys/signature'
import { signerOf } from '@bowline/ssh/keys/web-signature'
import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { Way } from './records.ts'
import {
  type Place,
  createDataKey,
  openKey,
  passkeyKey,
  passphraseKey,
  randomBytes,
  sealKey,
  unwrapDataKey,
  wrapDataKey,
} from './sealing.ts'

const place: Place = { origin: 'https://bowline.example.com', person: 'ada', vault: 'v1' }
/** The least that is accepted: the tests wait for it. */
const ITERATIONS = 600_000
const facts = { kind: 'passphrase', id: 'w1', salt: randomBytes(32), iterations: ITERATIONS } as const

let dataKey: CryptoKey
let way: Way
beforeAll(async () => {
  dataKey = await createDataKey()
  way = { ...facts, ...(await wrapDataKey(dataKey, await passphraseKey('correct horse battery', facts), place, facts)) }
})

const pem = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' })
const PEMS = {
  ed25519: pem(generateKeyPairSync('ed25519').privateKey),
  ecdsa: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  rsa: pem(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey),
}

async function sealed(text: string, id = 'k1', where = place) {
  const key = await readPrivateKey(text)
  const publicKey = Buffer.from(encodePublicKey(key.publicKey)).toString('base64')
  const record = { id, publicKey, person: where.person, vault: where.vault, name: 'laptop', added: 0 }
  return { key, record: { ...record, ...(await sealKey(dataKey, where, record, key.jwk)) } }
}

describe('a private key of the vault', () => {
  it.each(Object.entries(PEMS))('of type %s signs after it was decrypted and cannot be exported', async (_, text) => {
    const { key, record } = await sealed(text)
    const opened = await openKey(dataKey, place, record, key.publicKey)
    expect(opened.extractable).toBe(false)
    await expect(crypto.subtle.exportKey('jwk', opened)).rejects.toThrow('not extractable')
    const message = new TextEncoder().encode('hello')
    const signer = signerOf(key.publicKey, opened)
    const { algorithm } = signer
    const signature = await signer.sign(message)
    expect(verifySignature({ key: key.publicKey, algorithm, message, signature })).toBe(true)
  })

  it('is not in what is stored', async () => {
    const { key, record } = await sealed(PEMS.ed25519)
    const stored = Buffer.concat([record.iv, record.sealed])
    const secret = Buffer.from(key.jwk['d'] ?? '', 'base64url')
    expect(secret.length).toBe(32)
    expect(stored.includes(secret)).toBe(false)
    expect(stored.includes(key.jwk['d'] ?? '')).toBe(false)
  })

  it.each([
    ['another person', { ...place, person: 'bob' }, {}],
    ['another origin', { ...place, origin: 'https://elsewhere.example.com' }, {}],
    ['another vault', { ...place, vault: 'v2' }, {}],
    ['another record', place, { id: 'k2' }],
  ])('cannot be opened as that of %s', async (_, where, change) => {
    const { key, record } = await sealed(PEMS.ed25519)
    await expect(openKey(dataKey, where, { ...record, ...change }, key.publicKey)).rejects.toMatchObject({
      reason: 'damaged',
    })
  })

  it('cannot be swapped for another of the same person', async () => {
    const [one, other] = [await sealed(PEMS.ed25519, 'k1'), await sealed(PEMS.ed25519, 'k2')]
    const swapped = { ...one.record, iv: other.record.iv, sealed: other.record.sealed }
    await expect(openKey(dataKey, place, swapped, one.key.publicKey)).rejects.toMatchObject({ reason: 'damaged' })
  })
})

describe('the data key', () => {
  it('is given by the right passphrase, typed with composed letters or not, and cannot be exported', async () => {
    const accented = { ...facts, id: 'w2' }
    const wrapped = await wrapDataKey(
      dataKey,
      await passphraseKey('cr\u00E8me br\u00FBl\u00E9e', facts),
      place,
      accented,
    )
    const key = await passphraseKey('cre\u0300me bru\u0302le\u0301e', facts)
    const opened = await unwrapDataKey(key, place, { ...accented, ...wrapped })
    expect(opened.extractable).toBe(false)
    const { key: sample, record } = await sealed(PEMS.ed25519)
    expect((await openKey(opened, place, record, sample.publicKey)).type).toBe('private')
  })

  it('is refused to a wrong passphrase', async () => {
    const key = await passphraseKey('incorrect horse', facts)
    await expect(unwrapDataKey(key, place, way)).rejects.toMatchObject({ reason: 'wrong-secret' })
  })

  it.each([
    ['another person', { ...place, person: 'bob' }, {}],
    ['another origin', { ...place, origin: 'http://localhost' }, {}],
    ['another way', place, { id: 'w9' }],
    ['other iterations', place, { iterations: ITERATIONS + 1 }],
  ])('is bound to its place: not for %s', async (_, where, change) => {
    const key = await passphraseKey('correct horse battery', facts)
    const changed = Way.parse({ ...way, ...change })
    await expect(unwrapDataKey(key, where, changed)).rejects.toMatchObject({ reason: 'wrong-secret' })
  })

  it('is not looked for with fewer iterations than are safe', () => {
    expect(Way.safeParse({ ...way, iterations: 599_999 }).success).toBe(false)
    expect(Way.safeParse({ ...way, iterations: 100_000_000 }).success).toBe(false)
  })

  it('is given by the secret of a passkey, and by no other', async () => {
    const secret = randomBytes(32)
    const passkey = {
      kind: 'passkey',
      id: 'p1',
      name: 'laptop',
      salt: randomBytes(32),
      credential: randomBytes(16),
    } as const
    const wrapped = { ...passkey, ...(await wrapDataKey(dataKey, await passkeyKey(secret), place, passkey)) }
    expect((await unwrapDataKey(await passkeyKey(secret), place, wrapped)).extractable).toBe(false)
    await expect(unwrapDataKey(await passkeyKey(randomBytes(32)), place, wrapped)).rejects.toMatchObject({
      reason: 'wrong-secret',
    })
  })
})
