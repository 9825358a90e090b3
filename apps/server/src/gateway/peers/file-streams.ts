// Recordings on the disk of another node. A stream of the link with it is an open file: control messages ask for bytes or
// for the state, one after the other, and each is answered by a frame on the data lane, its length as u32 before it. The
// first frame, which nobody asks for, is the state of the file, once it is open.
import * as z from 'zod'
import { LengthFrames, withLength } from '@bowline/base/bytes/length-frames'
import type { LinkCause, LinkMessage, LinkStream, StreamHandler } from '@bowline/link/api'
import { type FileState, OtherNodeAway, type RecordingFile } from '../../recordings/file/reading.ts'

/** Header of the stream. */
export const RecordingFileHeader = z.object({ id: z.uuid(), kind: z.enum(['cast', 'index']) })
export type RecordingFileHeader = z.infer<typeof RecordingFileHeader>

const MAX_READ_BYTES = 1024 * 1024
/** Requests of one stream that wait for an answer. The other end sends one at a time. */
const MAX_WAITING = 4
const NOT_FOUND = 'not-found'
const DONE: LinkCause = { by: 'gateway', reason: 'done', message: '' }
const MALFORMED: LinkCause = { by: 'gateway', reason: 'protocol', message: 'A request for a file is malformed.' }

const Request = z.union([
  z.object({ position: z.number().int().min(0), length: z.number().int().min(1).max(MAX_READ_BYTES) }),
  z.object({ state: z.literal(true) }),
])
type Request = z.infer<typeof Request>
const State = z.object({ size: z.number().int().min(0), ino: z.number().optional(), mtimeMs: z.number().optional() })

/** The node with the file. @param open opens a file of its disk; rejects as `fs` does */
export function answerForFile(
  header: LinkMessage,
  stream: LinkStream,
  open: (header: RecordingFileHeader) => Promise<RecordingFile>,
): StreamHandler | LinkCause {
  const parsed = RecordingFileHeader.safeParse(header)
  if (!parsed.success) return MALFORMED
  const file = open(parsed.data)
  const answer = async (request: Request): Promise<void> => {
    const opened = await file
    if ('state' in request) {
      const { size, ino, mtimeMs } = await opened.stat()
      return send(stream, Buffer.from(JSON.stringify({ size, ino, mtimeMs })))
    }
    const { position, length } = request
    const { bytesRead, buffer } = await opened.read(Buffer.allocUnsafe(length), 0, length, position)
    send(stream, buffer.subarray(0, bytesRead))
  }
  let waiting = 0
  let last = Promise.resolve()
  const take = (request: Request): void => {
    waiting += 1
    last = last
      .then(() => answer(request))
      .catch((error: unknown) => stream.close(causeOf(error)))
      .finally(() => (waiting -= 1))
  }
  take({ state: true })
  return {
    data: () => stream.close(MALFORMED, 'drop'),
    control(message) {
      const request = Request.safeParse(message)
      if (!request.success || waiting >= MAX_WAITING) return stream.close(MALFORMED, 'drop')
      take(request.data)
    },
    closed() {
      void last.then(() => file.then((opened) => opened.close())).catch(() => undefined)
    },
  }
}

/**
 * The node that needs it.
 * @param open opens the stream; undefined where there is no link with the other node
 * @returns the file. Rejects with ENOENT when the other node does not have it, with `OtherNodeAway` when that cannot be
 *   known
 */
export async function openRemoteFile(open: (handler: StreamHandler) => LinkStream | undefined): Promise<RecordingFile> {
  let waiting: PromiseWithResolvers<Buffer<ArrayBuffer>> | undefined = Promise.withResolvers<Buffer<ArrayBuffer>>()
  let ended: Error | undefined
  const frames = new LengthFrames(MAX_READ_BYTES, (frame) => {
    if (!waiting) return stream?.close(MALFORMED, 'drop')
    waiting.resolve(frame)
    waiting = undefined
  })
  const first = waiting.promise
  const stream = open({
    data(bytes) {
      // One answer bounds what is kept.
      stream?.consumed(bytes.length)
      if (!frames.push(bytes)) stream?.close(MALFORMED, 'drop')
    },
    closed(cause) {
      ended = errorOf(cause)
      waiting?.reject(ended)
    },
  })
  if (!stream) throw new OtherNodeAway()
  await first

  let last: Promise<unknown> = first
  /** Asks for one thing after the other. */
  function ask(request: Request): Promise<Buffer<ArrayBuffer>> {
    const answer = last.then(() => {
      if (ended) throw ended
      waiting = Promise.withResolvers<Buffer<ArrayBuffer>>()
      stream?.control(request)
      return waiting.promise
    })
    last = answer.catch(() => undefined)
    return answer
  }

  return {
    async read(buffer, offset, length, position) {
      const bytes = await ask({ position, length: Math.min(length, MAX_READ_BYTES) })
      return { bytesRead: bytes.copy(buffer, offset, 0, length), buffer }
    },
    async stat(): Promise<FileState> {
      const { size, ino, mtimeMs } = State.parse(JSON.parse((await ask({ state: true })).toString()))
      return { size, ...(ino === undefined ? {} : { ino }), ...(mtimeMs === undefined ? {} : { mtimeMs }) }
    },
    async close() {
      stream.close(DONE)
    },
  }
}

const send = (stream: LinkStream, payload: Uint8Array): void => void stream.write(withLength(payload))

function causeOf(error: unknown): LinkCause {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return { by: 'gateway', reason: isMissing ? NOT_FOUND : 'failed', message: '' }
}

function errorOf({ by, reason, fromPeer }: LinkCause): Error {
  if (!fromPeer || by !== 'gateway' || reason !== NOT_FOUND) return new OtherNodeAway()
  return Object.assign(new Error('the other node does not have the file'), { code: 'ENOENT' })
}
