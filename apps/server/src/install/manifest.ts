// The signed manifest of the agents that this server serves. The server holds no key for it: whoever made the release
// has signed it, and devices verify it with the key that they were installed with.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentManifest, MAX_MANIFEST_BYTES, verifyManifest } from '@bowline/link/agent-manifest'
import { ARCHITECTURES, type Bundles } from './bundles.ts'

const MANIFEST = 'manifest.json'

/** A manifest as it is served, and as it reads. */
export interface SignedManifest {
  readonly bytes: Buffer
  /** 64 bytes. */
  readonly signature: Buffer
  readonly manifest: AgentManifest
}

export class Manifests {
  readonly #folder: string
  readonly #bundles: Pick<Bundles, 'servedSum' | 'smallSum'>

  /** @param folder of the archives */
  constructor(folder: string, bundles: Pick<Bundles, 'servedSum' | 'smallSum'>) {
    this.#folder = folder
    this.#bundles = bundles
  }

  /** The manifest, when it is signed and names what this server serves; else why agents are not updated by it. */
  async read(): Promise<SignedManifest | { readonly reason: string }> {
    const [bytes, signature] = await Promise.all([MANIFEST, `${MANIFEST}.sig`].map((name) => this.#file(name)))
    if (!bytes || !signature) return { reason: 'its agents are not signed' }
    const key: unknown = keyIn(bytes)
    const verified = verifyManifest(bytes, signature, typeof key === 'string' ? key : '')
    if ('fault' in verified) return { reason: `its manifest cannot be used: ${verified.fault}` }
    const { manifest } = verified
    for (const arch of ARCHITECTURES) {
      const named = manifest.bundles[`linux-${arch}`]
      const isServed = !named || (await this.#bundles.servedSum(arch)) === named.sha256
      const isSmallServed = !named?.small || (await this.#bundles.smallSum(arch)) === named.small.sha256
      if (!isServed || !isSmallServed) {
        return { reason: `its archive for linux-${arch} is not the one that was signed` }
      }
    }
    return { bytes, signature, manifest }
  }

  async #file(name: string): Promise<Buffer | undefined> {
    const bytes = await readFile(join(this.#folder, name)).catch(() => undefined)
    return bytes && bytes.length <= MAX_MANIFEST_BYTES ? bytes : undefined
  }
}

function keyIn(bytes: Buffer): unknown {
  try {
    return (JSON.parse(bytes.toString('utf8')) as { key?: unknown }).key
  } catch {
    return undefined
  }
}
