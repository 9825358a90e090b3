// Seals secrets at rest: AES-256-GCM with the instance's secret key. The secret's name is authenticated, so that one
// sealed row cannot be passed off as another.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { readSecretFile } from './secret-file.ts'

const VERSION = 1
const TAG_BYTES = 16

/** 32 bytes; seals and opens. */
export class SecretKey {
  readonly #key: Buffer
  /** First bytes of the key's hash: identifies the key that sealed a value. */
  readonly #id: Buffer

  /** @param hex 64 hex digits */
  constructor(hex: string) {
    if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('The secret key must be 64 hex digits (32 bytes).')
    this.#key = Buffer.from(hex, 'hex')
    this.#id = createHash('sha256').update(this.#key).digest().subarray(0, 4)
  }

  /** `version | key id (4) | nonce (12) | tag (16) | ciphertext`. */
  seal(name: string, plain: Uint8Array): Buffer {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(name))
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([Buffer.of(VERSION), this.#id, nonce, cipher.getAuthTag(), sealed])
  }

  /** @throws {Error} when another key sealed it or it was changed; the text names the setting to check */
  open(name: string, sealed: Uint8Array): Buffer {
    const bytes = Buffer.from(sealed)
    if (bytes[0] !== VERSION || !bytes.subarray(1, 5).equals(this.#id)) {
      throw new Error(`'${name}' was sealed with another secret key: check BOWLINE_SECRET_KEY or secret.key.`)
    }
    // Otherwise a shorter tag would be accepted, which is easier to guess.
    const whole = { authTagLength: TAG_BYTES }
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(5, 17), whole).setAAD(Buffer.from(name))
    decipher.setAuthTag(bytes.subarray(17, 33))
    return Buffer.concat([decipher.update(bytes.subarray(33)), decipher.final()])
  }

  toJSON(): string {
    return '[secret]'
  }
}

/**
 * The key of the data folder, made at first use (0600).
 * @param path absolute path of `secret.key`
 * @throws {Error} naming the file when its content is not a key
 */
export async function secretKeyFromFile(path: string): Promise<SecretKey> {
  const hex = await readSecretFile(path)
  try {
    return new SecretKey(hex)
  } catch (error) {
    throw new Error(`${path} is not a key file: it must hold 64 hex digits.`, { cause: error })
  }
}
