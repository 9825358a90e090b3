// The server's offer, judged by what the device knows: signed by a key that it trusts, not older than what has run
// here, and not what has failed here before.
import { createHash } from 'node:crypto'
import { MAX_MANIFEST_BYTES, type ManifestBundle, verifyManifest } from '@bowline/link/agent-manifest'
import type { UpdateFile } from '../device/update-file.ts'
import { type FetchParts, fetchBytes } from './fetch.ts'

/** A release that this device may update to. */
export interface Offer {
  readonly release: number
  readonly version: string
  readonly bundle: ManifestBundle
  /** As it was signed, and the SHA-256 of that. */
  readonly bytes: Buffer
  readonly digest: string
}

/** Why there is nothing to do; `isAttack`: whoever offers it should not. */
export interface NoOffer {
  readonly reason: string
  readonly isAttack?: true
}

export interface OfferParts extends FetchParts {
  readonly updates: UpdateFile
  /** Number of the release that runs; 0 when it is of none. */
  readonly running: number
  /** As manifests name it. */
  readonly platform: string
  /** Called when the manifest led to another key, which is trusted from then on. */
  readonly keyChanged: (key: string) => void
}

/** Why an agent without a trusted key gets no updates. */
export const NO_UPDATE_KEY = 'BOWLINE_UPDATE_KEY is not set: the agent trusts no key that signs updates'

/**
 * Fetches and judges the server's manifest.
 * @throws {FetchError | ConnectError | Error} when there is none, or the server cannot be reached
 */
export async function findOffer(parts: OfferParts): Promise<Offer | NoOffer> {
  const { updates } = parts
  const { key } = updates
  if (key === undefined) return { reason: NO_UPDATE_KEY }
  const bytes = await fetchBytes(parts, '/agent/manifest.json', MAX_MANIFEST_BYTES)
  const signature = await fetchBytes(parts, '/agent/manifest.json.sig', 64)
  const verified = verifyManifest(bytes, signature, key)
  if ('fault' in verified) return { reason: `the manifest is refused: ${verified.fault}`, isAttack: true }
  const { manifest } = verified
  if (manifest.key !== key) {
    updates.adoptKey(manifest.key)
    parts.keyChanged(manifest.key)
  }
  const { release, version } = manifest
  const newest = Math.max(updates.highest, parts.running)
  if (release < newest) {
    return { reason: `release ${release} is older than ${newest}, which has run here`, isAttack: true }
  }
  if (release === parts.running) return { reason: 'this is the newest release' }
  if (manifest.minimum_release > parts.running) {
    return { reason: `it needs release ${manifest.minimum_release} first, this is ${parts.running}` }
  }
  const digest = createHash('sha256').update(bytes).digest('hex')
  const failure = updates.failureOf(digest)
  if (failure !== undefined) return { reason: `release ${release} has failed here: ${failure}` }
  const bundle = manifest.bundles[parts.platform]
  if (!bundle) return { reason: `release ${release} has no agent for ${parts.platform}` }
  return { release, version, bundle, bytes, digest }
}
