// The signed manifest of the agents, beside their archives: devices update to what it names.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  AgentManifest,
  type KeyRotation,
  signManifest,
  signRotation,
  updateKeyOf,
  verifyManifest,
} from '@bowline/link/agent-manifest'
import * as z from 'zod'

/** File names beside the archives; the signature's is this and `.sig`. */
export const MANIFEST = 'manifest.json'

export interface ManifestOptions {
  /** Folder of the archives, where the manifest goes. */
  readonly folder: string
  /** Paths of the archives, by platform as `linux-x64`. */
  readonly bundles: Readonly<Record<string, string>>
  /** Paths of the same archives compressed by zstd, by platform, where there are any. */
  readonly small?: Readonly<Record<string, string>>
  /** File of an Ed25519 private key in PEM; undefined removes a manifest that is there. */
  readonly key: string | undefined
  /** Paths of the packages, by platform; undefined: there are none. */
  readonly packages?: Readonly<Record<string, string>>
  readonly version: string
  /** Must grow with each release. */
  readonly release: number
  readonly minimumRelease: number
  /** File with the rotations that led to the key; undefined: it is the first. */
  readonly rotations: string | undefined
}

/**
 * Writes `manifest.json` and `manifest.json.sig` (64 bytes).
 * @throws {Error} when the key is not an Ed25519 key, or the rotations do not lead to it; nothing is written then
 */
export function writeManifest(options: ManifestOptions): void {
  const { folder, bundles, small = {}, packages, key: keyFile, version, release, minimumRelease } = options
  const files = [join(folder, MANIFEST), join(folder, `${MANIFEST}.sig`)] as const
  if (keyFile === undefined) {
    for (const file of files) rmSync(file, { force: true })
    return
  }
  const privateKey = createPrivateKey(readFileSync(keyFile))
  const key = updateKeyOf(privateKey)
  const rotations = options.rotations === undefined ? [] : readRotations(options.rotations)
  const manifest = AgentManifest.parse({
    format: 'bowline agents v1',
    release,
    version,
    minimum_release: minimumRelease,
    key,
    rotations,
    bundles: Object.fromEntries(
      Object.entries(bundles).map(([platform, file]) => [platform, bundleOf(file, small[platform])]),
    ),
    ...(packages && {
      packages: Object.fromEntries(Object.entries(packages).map(([platform, file]) => [platform, fileOf(file)])),
    }),
  })
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const signature = signManifest(privateKey, bytes)
  if ('fault' in verifyManifest(bytes, signature, rotations.at(-1)?.key ?? key)) {
    throw new Error(`${options.rotations} does not end with the key of ${keyFile}`)
  }
  writeFileSync(files[0], bytes)
  writeFileSync(files[1], signature)
}

/**
 * Appends to a file of rotations that a key follows the present one.
 * @param present file of the present private key; @param next file of the next public or private key
 */
export function appendRotation(file: string, present: string, next: string): void {
  const rotations = readRotations(file, [])
  const rotation = signRotation(
    createPrivateKey(readFileSync(present)),
    updateKeyOf(createPublicKey(readFileSync(next))),
  )
  writeFileSync(file, `${JSON.stringify([...rotations, rotation], null, 2)}\n`)
}

/** @param given as an option; default: the seconds since 1970, which grow by themselves */
export function releaseNumber(given: string | undefined): number {
  return given === undefined ? Math.floor(Date.now() / 1_000) : Number(given)
}

/** @param missing what a file that is not there holds; undefined: that is an error */
function readRotations(file: string, missing?: KeyRotation[]): KeyRotation[] {
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined
  if (!isThere && missing) return missing
  return z.parse(AgentManifest.shape.rotations, JSON.parse(readFileSync(file, 'utf8')))
}

function bundleOf(path: string, small: string | undefined): AgentManifest['bundles'][string] {
  const unpacked = gunzipSync(readFileSync(path)).length
  return { ...fileOf(path), unpacked, ...(small !== undefined && { small: fileOf(small) }) }
}

function fileOf(path: string): { file: string; size: number; sha256: string } {
  const bytes = readFileSync(path)
  return { file: basename(path), size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}
