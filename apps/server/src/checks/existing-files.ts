// Read-only access to the files that a server creates at its first start: missing ones stay missing.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OwnFiles } from '../config.ts'
import { SecretKey } from '../platform/secrets/seal.ts'

export const existingFiles: OwnFiles = {
  async secretKey(file) {
    const hex = await textOf(file)
    if (hex === undefined) return new SecretKey('0'.repeat(64))
    try {
      return new SecretKey(hex)
    } catch (cause) {
      throw new Error(`${file} is not a key file: it must hold 64 hex digits.`, { cause })
    }
  },
  async nodeSecret(file) {
    return (await textOf(file)) ?? '0'.repeat(64)
  },
  async certificate(folder) {
    const [cert, key] = [await textOf(join(folder, 'tls.crt')), await textOf(join(folder, 'tls.key'))]
    return cert === undefined || key === undefined ? undefined : { cert, key }
  },
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}
