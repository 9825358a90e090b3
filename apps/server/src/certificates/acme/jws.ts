// Signed messages of ACME (RFC 8555 section 6.2, RFC 7515): ES256 with the account's key.
import { type KeyObject, createHash, createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'

/** Public key as RFC 7638 orders its members. */
interface Jwk {
  readonly crv: string
  readonly kty: string
  readonly x: string
  readonly y: string
}

/** A new key of an account, as PEM. */
export function newAccountKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
}

export function jwkOf(key: KeyObject): Jwk {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
  return { crv, kty, x, y }
}

/** Key authorization of a challenge's token (RFC 8555 section 8.1). */
export function keyAuthorization(token: string, key: KeyObject): string {
  const thumbprint = createHash('sha256')
    .update(JSON.stringify(jwkOf(key)))
    .digest('base64url')
  return `${token}.${thumbprint}`
}

/**
 * A message as flattened JSON.
 * @param account address of the account; undefined: the key itself identifies the sender
 * @param payload undefined: a request that reads (POST-as-GET)
 */
export function signed(
  key: KeyObject,
  { url, nonce, account, payload }: { url: string; nonce: string; account: string | undefined; payload: unknown },
): string {
  const header = { alg: 'ES256', nonce, url, ...(account === undefined ? { jwk: jwkOf(key) } : { kid: account }) }
  const head = Buffer.from(JSON.stringify(header)).toString('base64url')
  const body = payload === undefined ? '' : Buffer.from(JSON.stringify(payload)).toString('base64url')
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' })
  return JSON.stringify({ protected: head, payload: body, signature: signature.toString('base64url') })
}

/**
 * Binds the key of an account to one that the authority knows its customer by (RFC 8555 section 7.3.4): HS256.
 * @param url of the request that the binding is part of
 * @param external `key` is a MAC key in base64url
 */
export function externalBinding(
  account: KeyObject,
  { url, external }: { url: string; external: { readonly kid: string; readonly key: string } },
): { protected: string; payload: string; signature: string } {
  const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: external.kid, url })).toString('base64url')
  const payload = Buffer.from(JSON.stringify(jwkOf(account))).toString('base64url')
  const mac = createHmac('sha256', Buffer.from(external.key, 'base64url')).update(`${head}.${payload}`)
  return { protected: head, payload, signature: mac.digest('base64url') }
}
