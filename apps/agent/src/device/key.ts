// The device's key pair: its identity towards the platform. The file is created when missing and rejected when other
// users can read it.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { closeSync, fsyncSync, fstatSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface DeviceKey {
  readonly privateKey: KeyObject
  /** In registration format: SPKI for Ed25519, PKCS #1 for the RSA keys of older agents. */
  readonly publicKeyPem: string
  /** Whether the file was just created. */
  readonly made: boolean
}

/** The key file cannot be used; the message contains advice. */
export class DeviceKeyError extends Error {
  override readonly name = 'DeviceKeyError'
}

/**
 * Loads the key at `path`, or creates an Ed25519 key there (PKCS #8 PEM, mode 0600; missing folders 0700).
 * @param path absolute
 * @throws {DeviceKeyError}
 */
export function loadDeviceKey(path: string): DeviceKey {
  const existing = readKeyFile(path)
  const pem = existing ?? makeKeyFile(path)
  let privateKey: KeyObject
  try {
    privateKey = createPrivateKey(pem)
  } catch {
    throw new DeviceKeyError(`${path} holds no private key without a passphrase. Move it away to get a new one.`)
  }
  const publicKey = createPublicKey(privateKey)
  const type = privateKey.asymmetricKeyType
  if (type !== 'ed25519' && type !== 'rsa') throw new DeviceKeyError(`${path} holds a key that is not Ed25519 or RSA.`)
  const publicKeyPem = publicKey.export({ type: type === 'rsa' ? 'pkcs1' : 'spki', format: 'pem' })
  return { privateKey, publicKeyPem, made: existing === undefined }
}

function readKeyFile(path: string): string | undefined {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw new DeviceKeyError(`${path} cannot be read: ${String(error)}`)
  }
  try {
    const { mode, uid } = fstatSync(fd)
    if ((mode & 0o077) !== 0) {
      const found = (mode & 0o777).toString(8)
      throw new DeviceKeyError(`${path} is open to other users (mode ${found}). Run: chmod 600 ${path}`)
    }
    if (uid !== 0 && uid !== process.geteuid?.()) throw new DeviceKeyError(`${path} belongs to another user.`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function makeKeyFile(path: string): string {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const fd = openSync(path, 'wx', 0o600)
    try {
      writeSync(fd, pem)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw new DeviceKeyError(`${path} cannot be made: ${String(error)}`)
  }
  return pem
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
