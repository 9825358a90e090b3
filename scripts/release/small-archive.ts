// The agent's archive for devices that update: compressed by zstd, a quarter smaller than by gzip, which install scripts
// need as no machine lacks it.
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, gunzipSync, zstdCompressSync } from 'node:zlib'

/** The most that costs nothing to read: agents refuse a larger window (8 MB). */
const WINDOW_LOG = 23
/** Of releases, 1 to 22: a minute for each archive. */
export const SMALLEST = 19

/**
 * Writes `….tar.zst` beside `….tar.gz`.
 * @returns its path
 */
export function makeSmallArchive(archive: string, level: number = SMALLEST): string {
  const path = archive.replace(/\.gz$/, '.zst')
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_windowLog]: WINDOW_LOG }
  writeFileSync(path, zstdCompressSync(gunzipSync(readFileSync(archive)), { params }))
  return path
}

/** Makes one of each. @param bundles paths by platform */
export function smallArchives(bundles: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(bundles).map(([platform, file]) => [platform, makeSmallArchive(file)]))
}
