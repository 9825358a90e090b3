// Login key of a namespace, for existing agents. They accept a key from the gateway when `POST /api/auth/ssh` can sign
// with its private half: RSASSA-PKCS1-v1_5 over SHA-256, the only form they verify. One key per namespace, created on
// first use, instead of one per login. Our own agents never get it: they verify a statement (gateway/login/statement.ts).
import { type KeyObject, createPrivateKey, generateKeyPair, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { fail } from '@bowline/contract/errors'
import { encodePublicKey } from '@bowline/ssh/keys/key-blob'
import * as z from 'zod'
import type { DeviceActor, TenantContext } from '../context.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { fingerprintOf } from '../platform/keys/key-data.ts'
import { type LoginKeyRow, findLoginKey, insertLoginKey, keyLoginWaits } from './store.ts'

export interface LoginKey {
  /** MD5 of the public key's wire encoding as sixteen pairs of hex digits. */
  readonly fingerprint: string
  readonly privateKey: KeyObject
}

/** JSON text that agents have signed: the account, and the device name or container id. */
const Challenge = z.strictObject({ Username: z.string().min(1), Namespace: z.string().min(1) })

const makeKeyPair = promisify(generateKeyPair)

/** Returns the namespace's key, creating it if missing. Concurrent creators all get the same one. */
export async function loginKeyOf(ctx: TenantContext, secret: SecretKey): Promise<LoginKey> {
  const known = await findLoginKey(ctx.db)
  if (known) return openLoginKey(ctx, secret, known)
  const { privateKey, publicKey } = await makeKeyPair('rsa', { modulusLength: 2_048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const [modulus, exponent] = [Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')]
  const blob = encodePublicKey({ kind: 'rsa', type: 'ssh-rsa', modulus, exponent })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  await insertLoginKey(ctx.db, {
    tenant_id: ctx.tenant,
    fingerprint: fingerprintOf(blob),
    sealed: secret.seal(sealName(ctx), Buffer.from(pem)),
  })
  const made = await findLoginKey(ctx.db)
  if (!made) throw new Error('the login key has vanished')
  return openLoginKey(ctx, secret, made)
}

/**
 * Signs a login challenge for an agent while a login of its account on the device waits. The name in the challenge is not
 * compared: agents keep the name of their first registration for as long as they run.
 * @param device any token of it will do, the oldest too: it is what waits that authorizes
 * @param challenge `fingerprint` of the offered key; `data`, the JSON text to sign
 * @returns base64
 * @throws {BowlineError} UNAUTHORIZED or NOT_FOUND when no login waits; NOT_FOUND when the namespace has another key;
 *   INVALID_INPUT when the text is no login challenge: the key signs nothing else for anybody
 */
export async function signLogin(
  ctx: TenantContext,
  secret: SecretKey,
  device: DeviceActor,
  challenge: { readonly fingerprint: string; readonly data: string },
): Promise<string> {
  const parsed = parseChallenge(challenge.data)
  const waits = parsed !== undefined && (await keyLoginWaits(ctx.db, device.uid, parsed.Username))
  // Anybody who sees what members see of a device can get a token of it: it learns nothing.
  if (!waits && !device.proven) fail('UNAUTHORIZED')
  if (!parsed) fail('INVALID_INPUT', { field: 'data', rule: 'must be JSON with Username and Namespace' }, ['data'])
  const row = await findLoginKey(ctx.db)
  if (row?.fingerprint !== challenge.fingerprint) return fail('NOT_FOUND', { what: 'The key' })
  if (!waits) return fail('NOT_FOUND', { what: 'The login' })
  const { privateKey } = openLoginKey(ctx, secret, row)
  return sign('sha256', Buffer.from(challenge.data), privateKey).toString('base64')
}

function openLoginKey(ctx: TenantContext, secret: SecretKey, row: LoginKeyRow): LoginKey {
  const pem = secret.open(sealName(ctx), row.sealed).toString()
  return { fingerprint: row.fingerprint, privateKey: createPrivateKey(pem) }
}

/** Binds the key to the namespace: a row moved to another one does not open. */
function sealName(ctx: TenantContext): string {
  return `login-key/${ctx.tenant}`
}

function parseChallenge(text: string): z.infer<typeof Challenge> | undefined {
  try {
    return Challenge.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
