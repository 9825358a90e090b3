// The instance's own keys: they sign tokens, prove the SSH host and authorise logins. Sealed rows of `instance_keys`,
// shared by every node of an installation; created at first start.
import {
  type KeyObject,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  timingSafeEqual,
} from 'node:crypto'
import type { Kysely } from 'kysely'
import type { SecretKey } from '../platform/secrets/seal.ts'
import type { Schema } from '../db/schema.ts'
import { type RecordingKeys, readRecordingKeys } from './recording-keys.ts'
import { putInstanceKey } from './store.ts'

export interface InstanceKeys {
  /** RSA 2048; signs RS256 tokens. */
  readonly token: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  /** Ed25519 PKCS#8 PEM: the SSH host key. */
  readonly sshHostPem: string
  /** ECDSA P-256 PKCS#8 PEM: the SSH host key for clients without Ed25519. */
  readonly olderSshHostPem: string
  /** Ed25519; signs the statements that authorise logins on devices. */
  readonly statement: { readonly privateKey: KeyObject; /** Raw 32 bytes, base64url. */ readonly publicRaw: string }
  readonly recording: RecordingKeys
  /** Reads {@link recording} again: another process may have replaced it. The same object if unchanged. */
  readonly reloadRecording: () => Promise<RecordingKeys>
  /** Required in the set-up link: fixed per instance, known only to readers of the server's output. */
  readonly setupSign: string
  /** A secret for one purpose, the same on every node and after restarts; hex. */
  derive(purpose: string): string
}

const makers: Record<'token-rsa' | 'ssh-host-ed25519' | 'ssh-host-ecdsa-p256' | 'statement-ed25519', () => string> = {
  'token-rsa': () => pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
  'ssh-host-ed25519': () => pem(generateKeyPairSync('ed25519').privateKey),
  'ssh-host-ecdsa-p256': () => pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  'statement-ed25519': () => pem(generateKeyPairSync('ed25519').privateKey),
}

/**
 * Loads the keys and creates missing ones. Safe when several nodes start together: the first row wins.
 * @param db system connection
 */
export async function loadInstanceKeys(db: Kysely<Schema>, secret: SecretKey): Promise<InstanceKeys> {
  const load = async (name: keyof typeof makers) =>
    secret.open(name, await putInstanceKey(db, name, () => secret.seal(name, Buffer.from(makers[name]())))).toString()
  const tokenPem = await load('token-rsa')
  const tokenKey = createPrivateKey(tokenPem)
  const statementKey = createPrivateKey(await load('statement-ed25519'))
  const reloadRecording = readRecordingKeys(db, secret)
  return {
    token: { privateKey: tokenKey, publicKey: createPublicKey(tokenKey) },
    sshHostPem: await load('ssh-host-ed25519'),
    olderSshHostPem: await load('ssh-host-ecdsa-p256'),
    statement: { privateKey: statementKey, publicRaw: rawPublicKey(statementKey) },
    recording: await reloadRecording(),
    reloadRecording,
    setupSign: createHash('sha256')
      .update(sign('sha256', Buffer.from('bowline set-up'), tokenKey))
      .digest('hex'),
    derive: (purpose) => createHmac('sha256', tokenPem).update(purpose).digest('hex'),
  }
}

/** Compares a set-up link's signature in constant time. */
export function isSetupSign(keys: InstanceKeys, given: string): boolean {
  const expected = Buffer.from(keys.setupSign)
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' })
}

function rawPublicKey(key: KeyObject): string {
  return String(createPublicKey(key).export({ format: 'jwk' }).x)
}
