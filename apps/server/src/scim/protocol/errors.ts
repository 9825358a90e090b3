// Failures as SCIM answers them (RFC 7644 section 3.12).
import type { BowlineError, ErrorCode } from '@bowline/contract/errors'

/** Words of the protocol for failures; the others have none. */
const TYPES: Partial<Record<ErrorCode, string>> = {
  INVALID_FILTER: 'invalidFilter',
  CONFLICT: 'uniqueness',
  UNREADABLE_BODY: 'invalidSyntax',
  UNSUPPORTED_MEDIA_TYPE: 'invalidSyntax',
  OWNER_REFUSED: 'mutability',
}

const FIELD_TYPES: Readonly<Record<string, string>> = {
  path: 'invalidPath',
  op: 'invalidSyntax',
  Operations: 'invalidSyntax',
}

/** Statuses that the protocol has for what is another one elsewhere. */
const STATUSES: Partial<Record<ErrorCode, number>> = { UNREADABLE_BODY: 400 }

export function scimStatus(error: BowlineError): number {
  return STATUSES[error.code] ?? error.status
}

export function scimError(error: BowlineError) {
  const [field = ''] = error.fields
  const ofInput = error.code === 'INVALID_INPUT' ? (FIELD_TYPES[field] ?? 'invalidValue') : undefined
  const scimType = ofInput ?? TYPES[error.code]
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(scimStatus(error)),
    ...(scimType === undefined ? {} : { scimType }),
    detail: error.code === 'UNAUTHORIZED' ? 'The token is missing, wrong or revoked.' : error.message,
  }
}
