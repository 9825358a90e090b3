// Errors of an S3 store that name the setting at fault.
import * as z from 'zod'

export class StoreError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** The store's code, such as `NoSuchKey`; the system's without an answer. */
  readonly code: string

  constructor(status: number, code: string, cause?: unknown) {
    super(wordsFor(status, code), { cause })
    this.name = 'StoreError'
    this.status = status
    this.code = code
  }
}

/** Errors of the SDK: an answer of the store, or a failure to reach it. */
const Failure = z.object({
  /** The store's code, if it answered. */
  name: z.string(),
  /** The system's code. */
  code: z.string().optional().catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
})

const UNKNOWN: z.infer<typeof Failure> = { name: 'no reason' }

/** @param error error of the SDK, or a StoreError */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { name, code, $metadata } = Failure.safeParse(error).data ?? UNKNOWN
  const status = $metadata?.httpStatusCode
  // An unreadable answer may have begun with "200 OK".
  if (status !== undefined) return new StoreError(status < 300 ? 502 : status, name, error)
  return new StoreError(0, code ?? name, error)
}

/** True for a missing object or upload. */
export function isMissing(error: unknown): boolean {
  return error instanceof StoreError && error.status === 404 && error.code !== 'NoSuchBucket'
}

/** True if the store rejects this one request: a retry would not help, but other requests may succeed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof StoreError && (isMissing(error) || [400, 405, 411, 413, 416, 422, 501].includes(error.status))
}

const WORDS: Readonly<Record<string, string>> = {
  CredentialsProviderError:
    'BOWLINE_S3_ACCESS_KEY_ID is not set, and this machine is given no credentials: it has no role, or the role has none.',
  InvalidAccessKeyId: 'BOWLINE_S3_ACCESS_KEY_ID: the store knows no such key.',
  SignatureDoesNotMatch:
    'BOWLINE_S3_SECRET_ACCESS_KEY (or the key id, or the region): the store refuses the signature made with it.',
  NoSuchBucket: 'BOWLINE_S3_BUCKET: the store has no such bucket.',
  InvalidBucketName: 'BOWLINE_S3_BUCKET: the store has no such bucket.',
  AuthorizationHeaderMalformed: 'BOWLINE_S3_REGION: the bucket is in another region.',
  PermanentRedirect: 'BOWLINE_S3_ENDPOINT or BOWLINE_S3_REGION: the bucket is elsewhere.',
  AccessDenied: 'BOWLINE_S3_ACCESS_KEY_ID (or the role): no right to do this in the bucket.',
  RequestTimeTooSkewed: "The store's clock and this server's differ by too much.",
}

function wordsFor(status: number, code: string): string {
  const known = WORDS[code]
  if (known !== undefined) return known
  if (status === 0) return `BOWLINE_S3_ENDPOINT: the store does not answer (${code}).`
  if (status === 401 || status === 403) return WORDS['AccessDenied'] ?? ''
  if (status >= 300 && status < 400) return WORDS['PermanentRedirect'] ?? ''
  return `The store answers ${status} (${code}).`
}
