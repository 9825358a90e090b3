// The S3 operations that recordings need: put in one request or in parts, read ranges, remove. Only features that every
// store has, so no DeleteObjects and no trailing checksums: the signature covers the body's hash.
import { StoreError, isMissing, isRefusal, storeError } from './store-error.ts'

export interface S3Settings {
  /** `https://host[:port]` */
  readonly endpoint: URL
  readonly region: string
  readonly bucket: string
  /** Prefix of every key. */
  readonly prefix: string
  /** The bucket is in the path; otherwise it is part of the host name. */
  readonly pathStyle: boolean
  /** undefined: the machine's own credentials, from its environment or its role. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
}

/** Bytes of a body and their SHA-256 in hex; the store rejects a mismatch. */
export interface Body {
  readonly bytes: Buffer<ArrayBuffer>
  readonly hash: string
}

/** An unfinished multipart upload. */
export interface OpenUpload {
  readonly key: string
  readonly id: string
}

export interface StoredObject {
  /** In bytes. */
  readonly size: number
  /** Changes with the object's content. */
  readonly etag: string
}

/** All calls reject with a {@link StoreError}. Keys are of letters, digits, `.`, `-` and `/`. */
export interface S3Client {
  /** Rejects unless the bucket is reachable with these settings. */
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
  /** Succeeds if there is no such object. */
  remove(key: string): Promise<void>
}

/** Per request: a reused connection may turn out to be closed. */
const ATTEMPTS = 2
const CONNECTION_MS = 10_000
/** Timeout without a byte in either direction. */
const IDLE_MS = 60_000
/** Timeout of a whole request, including a part over a slow line. */
const REQUEST_MS = 300_000

/**
 * Loads the SDK lazily: a server without a store does not need it.
 * @param closing aborts requests in flight
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
    // Older stores support no checksums, and the signature has a stronger hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  closing.addEventListener('abort', () => s3.destroy(), { once: true })
  const options = { abortSignal: closing }

  // The SDK would hash the body again, all of it at once.
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
      await withStoreErrors(s3.listObjectsV2({ Bucket, Prefix: prefix, MaxKeys: 1 }, options))
    },
    async put(key, body) {
      await withStoreErrors(s3.putObject({ ...place(key), ...bodyOf(body) }, options))
    },
    async beginUpload(key) {
      const { UploadId: id } = await withStoreErrors(s3.createMultipartUpload(place(key), options))
      return { key, id: id ?? noAnswer() }
    },
    async putPart({ key, id }, number, body) {
      const part = { ...place(key), ...bodyOf(body), UploadId: id, PartNumber: number }
      return (await withStoreErrors(s3.uploadPart(part, options))).ETag ?? noAnswer()
    },
    async endUpload({ key, id }, tags) {
      const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
      await withStoreErrors(
        s3.completeMultipartUpload({ ...place(key), UploadId: id, MultipartUpload: { Parts } }, options),
      )
    },
    async openUploads(key) {
      const answer = await withStoreErrors(s3.listMultipartUploads({ Bucket, Prefix: prefix + key }, options)).catch(
        unlessRefused,
      )
      return (answer?.Uploads ?? []).flatMap(({ Key: name, UploadId: id }) =>
        name?.startsWith(prefix) && id !== undefined ? [{ key: name.slice(prefix.length), id }] : [],
      )
    },
    async abortUpload({ key, id }) {
      await withStoreErrors(s3.abortMultipartUpload({ ...place(key), UploadId: id }, options)).catch(unlessMissing)
    },
    async find(key) {
      const answer = await withStoreErrors(s3.headObject(place(key), options)).catch(unlessMissing)
      return answer && { size: answer.ContentLength ?? noAnswer(), etag: answer.ETag ?? noAnswer() }
    },
    async read(key, from, length) {
      const part = { ...place(key), Range: `bytes=${from}-${from + length - 1}` }
      try {
        const { Body: body } = await withStoreErrors(s3.getObject(part, options))
        return await withStoreErrors(bytesOf(body?.transformToWebStream() ?? noAnswer(), length))
      } catch (error) {
        if (error instanceof StoreError && error.status === 416) return Buffer.alloc(0)
        throw error
      }
    },
    async remove(key) {
      await withStoreErrors(s3.deleteObject(place(key), options)).catch(unlessMissing)
    },
  }
}

/** @throws {StoreError} for everything that the SDK throws */
async function withStoreErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeError(error)
  }
}

/** @param request HTTP request built by the SDK */
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
