// The platform's statement key, pinned on first use: learned at the first registration, stored beside the device key,
// replaced only by a key that the old one has signed. A later man in the middle cannot swap it.
import { verify } from 'node:crypto'
import * as z from 'zod'
import { statementKeyObject } from '../login/statement.ts'
import { readKept, writeKept } from './kept-file.ts'

const Stored = z.object({ version: z.literal(1), statement_key: z.base64url() })

/** Result of offering a key that the server named. */
export type Adoption = 'kept' | 'learned' | 'changed' | 'refused'

export class StatementKeyFile {
  readonly path: string
  #key: Uint8Array | undefined

  /**
   * @param path absolute; a missing file means that no key is known yet
   * @throws {Error} when the file exists and cannot be parsed
   */
  constructor(path: string) {
    this.path = path
    const stored = readKept(path, Stored, 'learn the platform’s statement key again')
    this.#key = stored && Buffer.from(stored.statement_key, 'base64url')
  }

  /** Raw 32 bytes. */
  get key(): Uint8Array | undefined {
    return this.#key
  }

  /**
   * Adopts the key that the server named if it is the first, or signed by the known one.
   * @param offered raw 32 bytes, base64url
   * @param signature Ed25519 signature of the raw bytes by the known key, base64url
   */
  adopt(offered: string, signature: string | undefined): Adoption {
    const key = Buffer.from(offered, 'base64url')
    if (this.#key && key.equals(this.#key)) return 'kept'
    if (key.length !== 32) return 'refused'
    const known = this.#key
    if (known && !(signature && verify(null, key, statementKeyObject(known), Buffer.from(signature, 'base64url')))) {
      return 'refused'
    }
    const statementKey = key.toString('base64url')
    writeKept(this.path, { version: 1, statement_key: statementKey } satisfies z.infer<typeof Stored>)
    this.#key = key
    return known ? 'changed' : 'learned'
  }
}
