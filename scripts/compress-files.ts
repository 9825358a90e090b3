// Writes Brotli and gzip files beside each compressible built file: the server sends them as they are.
import { statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const COMPRESSIBLE = /\.(html|js|css|json|svg|xml|txt|md|webmanifest)$/
const MIN_BYTES = 1_024
/** Nearly as small as 11, in a tenth of the time. */
const QUALITY = { pages: 6, assets: 9 }
const MAX_CONCURRENT = 8

const brotliOf = promisify(brotliCompress)
const gzipOf = promisify<Buffer, { level: number }, Buffer>(gzip)

/**
 * @param files absolute paths; other types and small files are skipped
 * @param assetQuality Brotli quality for scripts and styles, 11 at most
 */
export async function compressFiles(files: readonly string[], assetQuality = QUALITY.assets): Promise<void> {
  const waiting = files.filter((file) => COMPRESSIBLE.test(file) && statSync(file).size >= MIN_BYTES)
  const work = async (): Promise<void> => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      const text = await readFile(file)
      const quality = /\.(js|css)$/.test(file) ? assetQuality : QUALITY.pages
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
      await writeFile(`${file}.br`, await brotliOf(text, { params }))
      await writeFile(`${file}.gz`, await gzipOf(text, { level: Math.min(quality, 9) }))
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
}
