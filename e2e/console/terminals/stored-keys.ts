// Steps of the vault's tests inside the page, and their search for secrets in what it sends and stores.
import type { Page } from 'playwright-core'

/** An authenticator that derives secrets. */
export const AUTHENTICATOR = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
  hasPrf: true,
} as const

/** Keeps the secret half of keys that the page makes, for the test to look for. */
export const REMEMBER_MADE = `
  const exportKey = crypto.subtle.exportKey.bind(crypto.subtle)
  crypto.subtle.exportKey = async (format, key) => {
    const jwk = await exportKey(format, key)
    if (jwk.d) (globalThis.made ??= []).push(jwk.d)
    return jwk
  }`

/** WebCrypto of a browser from before 2024. */
export const WITHOUT_ED25519 = `
  for (const [name, at] of [['unwrapKey', 4], ['generateKey', 0]]) {
    const real = SubtleCrypto.prototype[name]
    SubtleCrypto.prototype[name] = function (...words) {
      const algorithm = words[at]?.name ?? words[at]
      if (algorithm === 'Ed25519') return Promise.reject(new DOMException('Ed25519', 'NotSupportedError'))
      return real.apply(this, words)
    }
  }`

/** True when a secret is in what was sent, in any of the ways that it could be written. @param secret base64url */
export function wasSent(sent: readonly Buffer[], secret: string): boolean {
  const bytes = Buffer.from(secret, 'base64url')
  if (bytes.length < 30) throw new Error('so few bytes would be found by chance')
  // Base64 of text that contains it: the middle is the same for one of three alignments.
  const aligned = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  const forms = [
    bytes,
    Buffer.from(secret),
    Buffer.from(bytes.toString('hex')),
    ...aligned.map((text) => Buffer.from(text)),
  ]
  return sent.some((chunk) => forms.some((form) => chunk.includes(form)))
}

/** Everything that the page has stored, as text: bytes as base64url. */
export function storedBy(page: Page): Promise<string> {
  return page.evaluate(`(async () => {
    const database = await new Promise((resolve) => {
      const request = indexedDB.open('bowline-vault')
      request.onsuccess = () => resolve(request.result)
    })
    const names = [...database.objectStoreNames]
    const transaction = database.transaction(names)
    const all = await Promise.all(names.map((name) => new Promise((resolve) => {
      const request = transaction.objectStore(name).getAll()
      request.onsuccess = () => resolve(request.result)
    })))
    database.close()
    const text = (_, value) => value instanceof Uint8Array ? value.toBase64({ alphabet: 'base64url' }) : value
    return JSON.stringify([all, { ...localStorage }, { ...sessionStorage }], text)
  })()`)
}

/** Changes what is stored, as a defect or an intruder in the file system would. */
export async function changeStored(page: Page, work: string): Promise<void> {
  await page.evaluate(`(async () => {
    const request = (of) => new Promise((resolve, reject) => {
      of.onsuccess = () => resolve(of.result)
      of.onerror = () => reject(of.error)
    })
    const database = await request(indexedDB.open('bowline-vault'))
    const all = (name) => request(database.transaction(name).objectStore(name).getAll())
    const put = (name, value) => request(database.transaction(name, 'readwrite').objectStore(name).put(value))
    // The first person has two ways to unlock, or none after a defect.
    const own = async () => (await all('headers')).find(({ ways }) => ways.length !== 1)
    ${work}
    database.close()
  })()`)
}
