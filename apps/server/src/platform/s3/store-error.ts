// Errors of an S3 store that name the setting at fault.
import * as z from 'zod'

export class StoreError extends Error {
  /** Of the answer; 0 when there was none. */
  readonly status: number
  /** The store's own, such as `NoSuchKey`; of the system when there was no answer. */
  readonly code: string

  constructor(status: number, code: string, cause?: unknown) {
    super(wordsFor(status, code), { cause })
    this.name = 'StoreError'
    this.status = status
    this.code = code
  }
}

/** What the SDK throws: an answer of the store, or a failure on the way to it. */
const Failure = z.object({
  /** The store's code, when it has answered. */
  name: z.string(),
  /** Of the system. */
  code: z.string().optional().catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
})

const UNKNOWN: z.infer<typeof Failure> = { name: 'no reason' }

/** @param error of the SDK, or one that was made of it */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { name, code, $metadata } = Failure.safeParse(error).data ?? UNKNOWN
  const status = $metadata?.httpStatusCode
  // What was no answer of a store's kind may have begun with "200 OK".
  if (status !== undefined) return new StoreError(status < 300 ? 502 : status, name, error)
  return new StoreError(0, code ?? name, error)
}

/** There is no such object, or no such upload. */
export function isMissing(error: unknown): boolean {
  return error instanceof StoreError && error.status === 404 && error.code !== 'NoSuchBucket'
}

/** The store works and does not want this one request: to ask again would not help, other requests may do well. */
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
