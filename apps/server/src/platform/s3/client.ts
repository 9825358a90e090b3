// The S3 operations that recordings need: objects in one request or in parts, ranges of them, and their end. Only what
// every store speaks, so no DeleteObjects and no trailing checksums: of what is sent, the signature has the hash.
import { StoreError, isMissing, isRefusal, storeError } from './store-error.ts'

export interface S3Settings {
  /** `https://host[:port]` */
  readonly endpoint: URL
  readonly region: string
  readonly bucket: string
  /** Before every key. */
  readonly prefix: string
  /** The bucket is in the path; else it is a part of the host's name. */
  readonly pathStyle: boolean
  /** undefined: what the machine itself is given, by its environment or its role. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

/** Bytes of a body, and their SHA-256 in hex: the store refuses them when they do not belong together. */
export interface Body {
  readonly bytes: Buffer<ArrayBuffer>
  readonly hash: string
}

/** An upload in parts that was begun and not ended. */
export interface OpenUpload {
  readonly key: string
  readonly id: string
}

export interface StoredObject {
  /** In bytes. */
  readonly size: number
  /** Another one when the object has become another. */
  readonly etag: string
}

/** All calls reject with a {@link StoreError}. Keys are of letters, digits, `.`, `-` and `/`. */
export interface S3Client {
  /** Whether the bucket can be asked with these settings. */
  check(): Promise<void>
  put(key: string, body: Body): Promise<void>
  beginUpload(key: string): Promise<OpenUpload>
  /** @param number from 1 @returns the tag that ends the upload */
  putPart(upload: OpenUpload, number: number, body: Body): Promise<string>
  /** @param tags of all parts, in order */
  endUpload(upload: OpenUpload, tags: readonly string[]): Promise<void>
  /** Uploads of keys that begin with `key`; none when the store does not list them. */
  openUploads(key: string): Promise<OpenUpload[]>
  abortUpload(upload: OpenUpload): Promise<void>
  /** undefined when there is no such object */
  find(key: string): Promise<StoredObject | undefined>
  /** A part of an object; shorter at its end. */
  read(key: string, from: number, length: number): Promise<Buffer<ArrayBuffer>>
  /** Also when it is not there. */
  remove(key: string): Promise<void>
}

/** Of one request: a connection may have been closed when it was taken up again. */
const ATTEMPTS = 2
const CONNECTION_MS = 10_000
/** Without a byte in either direction. */
const IDLE_MS = 60_000
/** For the whole of it, a part on a slow line included. */
const REQUEST_MS = 300_000

/**
 * Loads the SDK, which a server without a store does without.
 * @param closing ends what is under way
 */
export async function createS3Client(settings: S3Settings, closing: AbortSignal): Promise<S3Client> {
  const sdk = await import('@aws-sdk/client-s3')
  const { bucket: Bucket, prefix, credentials } = settings
  const s3 = new sdk.S3({
    endpoint: settings.endpoint.origin,
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    ...(credentials ? { credentials } : {}),
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      socketTimeout: IDLE_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    },
    // Older stores know no checksums, and the signature has a stronger hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  closing.addEventListener('abort', () => s3.destroy(), { once: true })
  const options = { abortSignal: closing }

  // The SDK would hash a body once more, and all of it at once.
  const hashes = new WeakMap<object, string>()
  s3.middlewareStack.add(
    (next) => (call) => {
      const { input, request } = call
      const hash = 'Body' in input && input.Body instanceof Buffer ? hashes.get(input.Body) : undefined
      if (hash !== undefined) setHeader(request, 'x-amz-content-sha256', hash)
      return next(call)
    },
    { step: 'build', name: 'hashOfBody' },
  )

  function place(key: string): { Bucket: string; Key: string } {
    return { Bucket, Key: prefix + key }
  }

  function bodyOf({ bytes, hash }: Body): { Body: Buffer } {
    hashes.set(bytes, hash)
    return { Body: bytes }
  }

  return {
    async check() {
      await told(s3.listObjectsV2({ Bucket, Prefix: prefix, MaxKeys: 1 }, options))
    },
    async put(key, body) {
      await told(s3.putObject({ ...place(key), ...bodyOf(body) }, options))
    },
    async beginUpload(key) {
      const { UploadId: id } = await told(s3.createMultipartUpload(place(key), options))
      return { key, id: id ?? noAnswer() }
    },
    async putPart({ key, id }, number, body) {
      const part = { ...place(key), ...bodyOf(body), UploadId: id, PartNumber: number }
      return (await told(s3.uploadPart(part, options))).ETag ?? noAnswer()
    },
    async endUpload({ key, id }, tags) {
      const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
      await told(s3.completeMultipartUpload({ ...place(key), UploadId: id, MultipartUpload: { Parts } }, options))
    },
    async openUploads(key) {
      const answer = await told(s3.listMultipartUploads({ Bucket, Prefix: prefix + key }, options)).catch(unlessRefused)
      return (answer?.Uploads ?? []).flatMap(({ Key: name, UploadId: id }) =>
        name?.startsWith(prefix) && id !== undefined ? [{ key: name.slice(prefix.length), id }] : [],
      )
    },
    async abortUpload({ key, id }) {
      await told(s3.abortMultipartUpload({ ...place(key), UploadId: id }, options)).catch(unlessMissing)
    },
    async find(key) {
      const answer = await told(s3.headObject(place(key), options)).catch(unlessMissing)
      return answer && { size: answer.ContentLength ?? noAnswer(), etag: answer.ETag ?? noAnswer() }
    },
    async read(key, from, length) {
      const part = { ...place(key), Range: `bytes=${from}-${from + length - 1}` }
      try {
        const { Body: body } = await told(s3.getObject(part, options))
        return await told(bytesOf(body?.transformToWebStream() ?? noAnswer(), length))
      } catch (error) {
        if (error instanceof StoreError && error.status === 416) return Buffer.alloc(0)
        throw error
      }
    },
    async remove(key) {
      await told(s3.deleteObject(place(key), options)).catch(unlessMissing)
    },
  }
}

/** @throws {StoreError} for everything that the SDK throws */
async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeError(error)
  }
}

/** @param request of HTTP, when the SDK has made it */
function setHeader(request: unknown, name: string, value: string): void {
  if (typeof request !== 'object' || request === null || !('headers' in request)) return
  if (typeof request.headers === 'object' && request.headers !== null) Object.assign(request.headers, { [name]: value })
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

function unlessRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error
}

function noAnswer(): never {
  throw new StoreError(502, 'an answer without what it must have')
}

/** @throws {StoreError} when there are more */
async function bytesOf(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > most) throw new StoreError(502, 'more bytes than were asked for')
    pieces.push(piece)
  }
  return Buffer.concat(pieces, length)
}
