// Recordings of an export: the bytes as they were written, wherever they lie.
import type { TenantContext } from '../context.ts'
import { type RecordingFile, pieces } from '../recordings/file/reading.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { openById } from '../recordings/service.ts'

/** A recording that the archive does not have, or not as it was. */
export interface Left {
  readonly recording: string
  readonly reason: string
}

export interface Found {
  /** Length of what `pieces` yields. */
  readonly bytes: number
  /** Exactly that many bytes; closes the file. */
  pieces(): AsyncGenerator<Uint8Array>
  /** Set after `pieces` when it had to fill up with zeros. */
  readonly problem: Left | undefined
}

/**
 * Opens a recording as it is now. One that is still written has what was written so far.
 * @returns why not, when it was deleted meanwhile or cannot be read
 */
export async function recordingBytes(
  ctx: Pick<TenantContext, 'db' | 'log'>,
  recordings: Recordings,
  id: string,
): Promise<Found | Left> {
  let file: RecordingFile | undefined
  try {
    file = await openById(ctx, recordings, id)
    if (file) return found(ctx, id, file, (await file.stat()).size)
  } catch (error) {
    await file?.close()
    ctx.log.warn('export.incomplete', { recording: id, err: error })
    return { recording: id, reason: 'It could not be read: it is on another server, or its store did not answer.' }
  }
  return { recording: id, reason: 'It was deleted while the archive was written.' }
}

function found(ctx: Pick<TenantContext, 'log'>, id: string, file: RecordingFile, bytes: number): Found {
  let problem: Left | undefined
  return {
    bytes,
    get problem() {
      return problem
    },
    async *pieces() {
      let rest = bytes
      try {
        for await (const piece of pieces(file)) {
          const some = piece.subarray(0, rest)
          rest -= some.length
          yield some
          if (rest === 0) break
        }
      } catch (error) {
        ctx.log.warn('export.incomplete', { recording: id, err: error })
      } finally {
        await file.close()
      }
      if (rest === 0) return
      problem = { recording: id, reason: 'Reading it failed halfway: the file in the archive ends with zeros.' }
      // The header has announced the length.
      for (; rest > 0; rest -= Math.min(rest, ZEROS.length)) yield ZEROS.subarray(0, Math.min(rest, ZEROS.length))
    },
  }
}

const ZEROS = new Uint8Array(65_536)
