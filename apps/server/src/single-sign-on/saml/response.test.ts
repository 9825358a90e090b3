// Responses of an identity provider, good and bad. The corpus holds one message for each class of attack; every one must
// be refused for its own reason, and the message that they are made from must be accepted.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type KeyPair, makeKeyPair } from './key-pair.ts'
import { toPem } from './metadata.ts'
import { type ResponseRules, openResponse, verifyResponse } from './response.ts'
import { type TestIdentityProvider, createIdentityProvider } from './testing/identity-provider.ts'

interface Case {
  readonly class: string
  readonly origin: string
  readonly reason: string
  readonly message: string
}

const FOLDER = join(import.meta.dirname, 'testing/corpus')
const read = async <T>(...path: string[]) => JSON.parse(await readFile(join(FOLDER, ...path), 'utf8')) as T
const groups = (await readdir(FOLDER)).filter((name) => !name.endsWith('.json'))
const cases = (
  await Promise.all(
    groups.map(async (group) =>
      Promise.all(
        (await readdir(join(FOLDER, group))).map(async (file) => ({
          name: `${group}/${file}`,
          ...(await read<Case>(group, file)),
        })),
      ),
    ),
  )
).flat()
const base = await read<{ rules: Omit<ResponseRules, 'decryptionKeys'>; message: string }>('accepted.json')

async function verify(message: string, rules: ResponseRules) {
  return verifyResponse(await openResponse(message), rules)
}

describe('the corpus', () => {
  const rules = { ...base.rules, decryptionKeys: [] }

  it('starts from a message that is accepted', async () => {
    expect(await verify(base.message, rules)).toMatchObject({ nameId: 'person-1' })
  })

  it('has a class and an origin for every message', () => {
    expect(cases.length).toBeGreaterThan(30)
    expect(cases.filter((one) => one.class.length < 5 || one.origin.length < 15).map(({ name }) => name)).toEqual([])
  })

  it.each(cases)('refuses $class ($name)', async ({ message, reason }) => {
    await expect(verify(message, rules)).rejects.toThrow(reason)
  })
})

it('is not read further when it declares namespaces without end', async () => {
  const opened = (depth: number): string =>
    depth === 0
      ? '<b/>'.repeat(1_000)
      : `<a ${Array.from({ length: 31 }, (_, i) => `xmlns:p${depth}x${i}="urn:x:${depth}:${i}"`).join(' ')}>${opened(depth - 1)}</a>`
  const message = Buffer.from(opened(40)).toString('base64')
  await expect(openResponse(message)).rejects.toThrow('it declares too many namespaces')
})

describe('a response', () => {
  let provider: TestIdentityProvider
  let own: KeyPair
  const now = Date.UTC(2_026, 10, 23, 12)
  const address = { recipient: 'https://bowline.example.com/acs', audience: 'https://bowline.example.com' }
  const rulesOf = (rest: Partial<ResponseRules> = {}): ResponseRules => ({
    ...address,
    issuer: provider.entityId,
    requestId: '_request',
    now,
    certificates: [toPem(provider.keys.certificate)],
    decryptionKeys: [own.privateKey],
    ...rest,
  })
  const send = (parts: Partial<Parameters<TestIdentityProvider['response']>[0]>, rules?: Partial<ResponseRules>) => {
    const xml = provider.response({ ...address, requestId: '_request', now, ...parts })
    return verify(Buffer.from(xml).toString('base64'), rulesOf(rules))
  }
  beforeAll(async () => {
    provider = await createIdentityProvider()
    own = await makeKeyPair('ours', now)
  })

  it.each(['assertion', 'both'] as const)('names the person when signed: %s', async (sign) => {
    const person = await send({ sign })
    expect(person.nameId).toBe('person-1')
    expect(person.attributes.get('emailaddress')).toEqual(['grace@example.org'])
  })

  it('has attributes by Name: a friendly name before hides none, and counts where no Name is the same', async () => {
    const attribute = (names: string, value: string) =>
      `<saml:Attribute ${names}><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`
    const attributeXml = [
      attribute('Name="urn:oid:1" FriendlyName="mail"', 'friendly@example.org'),
      attribute('Name="mail"', 'named@example.org'),
      attribute('Name="urn:oid:2" FriendlyName="givenName"', 'Grace'),
      attribute('Name="urn:oid:3" FriendlyName="givenName"', 'Somebody'),
    ].join('')
    const { attributes } = await send({ attributeXml })
    expect(attributes.get('mail')).toEqual(['named@example.org'])
    expect(attributes.get('givenname')).toEqual(['Grace'])
  })

  it.each(['response', 'nothing'] as const)('needs a signature of its assertion itself: %s', async (sign) => {
    await expect(send({ sign })).rejects.toThrow('it is not signed')
  })

  it('may be encrypted for any of our keys', async () => {
    const newer = await makeKeyPair('newer', now)
    const decryptionKeys = [newer.privateKey, own.privateKey]
    for (const { certificate } of [newer, own]) {
      const person = await send({ encryptFor: certificate }, { decryptionKeys })
      expect(person.nameId).toBe('person-1')
    }
    await expect(send({ encryptFor: provider.keys.certificate })).rejects.toThrow('cannot be decrypted')
    await expect(send({ encryptFor: own.certificate, sign: 'nothing' })).rejects.toThrow('it is not signed')
  })

  it('may be signed by any certificate of the provider during a rollover', async () => {
    const next = await makeKeyPair('next', now)
    const certificates = [toPem(provider.keys.certificate), toPem(next.certificate)]
    for (const keys of [provider.keys, next]) expect(await send({ keys }, { certificates })).toBeDefined()
    await expect(send({ keys: next })).rejects.toThrow('not one of the identity provider’s certificates')
  })

  it('counts a minute of difference between the clocks, not more', async () => {
    expect(await send({ validFor: 10 }, { now: now + 69_000 })).toBeDefined()
    await expect(send({ validFor: 10 }, { now: now + 70_000 })).rejects.toThrow('it has expired')
    expect(await send({}, { now: now - 65_000 })).toBeDefined()
    await expect(send({}, { now: now - 66_000 })).rejects.toThrow('not valid yet')
  })

  it('names the failure that the provider reports', async () => {
    const status = 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed'
    await expect(send({ status })).rejects.toThrow('the identity provider reports AuthnFailed')
  })

  it('answers no request when the provider began', async () => {
    expect(await send({ requestId: undefined }, { requestId: undefined })).toBeDefined()
    await expect(send({ requestId: undefined })).rejects.toThrow('another request')
    await expect(send({}, { requestId: undefined })).rejects.toThrow('another request')
  })
})

it.each([
  ['it has too many elements', 'a message', '<b/>'.repeat(1_024), ''],
  ['its signature has too many elements', 'a signature', '', '<d:y/>'.repeat(64)],
])('refuses with “%s” before the library works on %s without end', async (reason, _what, inner, signed) => {
  const [protocol, signature] = ['urn:oasis:names:tc:SAML:2.0:protocol', 'http://www.w3.org/2000/09/xmldsig#']
  const assertion = 'urn:oasis:names:tc:SAML:2.0:assertion'
  const status = '<p:Status><p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></p:Status>'
  const xml = `<p:Response xmlns:p="${protocol}" ID="_r" Version="2.0"><d:Signature xmlns:d="${signature}">${signed}</d:Signature>${status}<a:Assertion xmlns:a="${assertion}" ID="_a">${inner}</a:Assertion></p:Response>`
  const rules = { ...base.rules, requestId: undefined, decryptionKeys: [] }
  await expect(verify(Buffer.from(xml).toString('base64'), rules)).rejects.toThrow(reason)
})
