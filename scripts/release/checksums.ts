// Checksums of a release: SHA256SUMS of its archives and packages, the same of the agents, and signatures of both.
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface Checksums {
  /** Output folder. */
  readonly target: string
  /** Paths of the release's archives and packages. */
  readonly archives: readonly string[]
  /** Paths of the agents' archives, which a server serves at `/agent/`, with their hashes at `/agent/SHA256SUMS`. */
  readonly agents: readonly string[]
  /** File of an Ed25519 private key in PEM to sign with; undefined leaves the release unsigned. */
  readonly key: string | undefined
}

/**
 * Writes `SHA256SUMS`, `SHA256SUMS.agents` and, with a key, the signatures (RFC 8032, 64 bytes) `….sig` of both.
 * @throws {Error} when the key is not an Ed25519 key; nothing is written then
 */
export function writeChecksums({ target, archives, agents, key }: Checksums): void {
  const signer = key === undefined ? undefined : createPrivateKey(readFileSync(key))
  if (signer && signer.asymmetricKeyType !== 'ed25519') throw new Error(`${key} is no Ed25519 key`)
  for (const [name, files] of [
    ['SHA256SUMS', archives],
    ['SHA256SUMS.agents', agents],
  ] as const) {
    const sums = Buffer.from(files.map(sumLine).join(''))
    writeFileSync(join(target, name), sums)
    if (signer) writeFileSync(join(target, `${name}.sig`), sign(null, sums, signer))
  }
}

/** Formats a line like sha256sum(1). */
function sumLine(file: string): string {
  return `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`
}
