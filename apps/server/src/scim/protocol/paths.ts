// Attribute paths of SCIM (RFC 7644 figure 7), as far as providers use them: `userName`, `name.givenName`,
// `emails[type eq "work"].value`, with or without the schema's name in front. Pure.
import { fail } from '@bowline/contract/errors'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

export const PATH_LENGTH = 512

/** `attribute eq value`. */
export interface Condition {
  /** Lower-case; a part of an attribute follows a dot. */
  readonly attribute: string
  readonly value: string | boolean
}

export interface AttributePath {
  /** Lower-case. */
  readonly attribute: string
  /** Filter of the values of a multi-valued attribute. */
  readonly where: Condition | undefined
  /** Lower-case; undefined: the whole attribute. */
  readonly part: string | undefined
}

/** The alternatives exclude each other by their first character: no text is read twice. */
const PATH = /^([a-z$][\w$-]*)(?:\[((?:[^"\]]|"(?:[^"\\]|\\.)*")*)\])?(?:\.([a-z$][\w$-]*))?$/i
const CONDITION = /^\s*([a-z$][\w$-]*(?:\.[a-z$][\w$-]*)?)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*$/i

/** @throws {BowlineError} INVALID_INPUT naming `path` */
export function parsePath(text: string): AttributePath {
  if (text.length > PATH_LENGTH) return failPath()
  const short = withoutSchema(text.trim())
  // Attributes of extensions have their schema in front: they are none of ours.
  if (/^urn:/i.test(short)) return { attribute: short.toLowerCase(), where: undefined, part: undefined }
  const [, attribute, where, part] = PATH.exec(short) ?? failPath()
  return {
    attribute: (attribute ?? '').toLowerCase(),
    where: where === undefined ? undefined : parseCondition(where),
    part: part?.toLowerCase(),
  }
}

/** @returns undefined when the text is no such condition */
export function readCondition(text: string): Condition | undefined {
  const [, attribute, literal] = CONDITION.exec(withoutSchema(text.trim())) ?? []
  if (attribute === undefined || literal === undefined) return undefined
  const value = readLiteral(literal)
  return value === undefined ? undefined : { attribute: attribute.toLowerCase(), value }
}

function parseCondition(text: string): Condition {
  return readCondition(text) ?? failPath()
}

function readLiteral(literal: string): string | boolean | undefined {
  const word = literal.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}

function withoutSchema(text: string): string {
  for (const schema of [USER_SCHEMA, GROUP_SCHEMA]) {
    if (text.slice(0, schema.length + 1).toLowerCase() === `${schema.toLowerCase()}:`) {
      return text.slice(schema.length + 1)
    }
  }
  return text
}

function failPath(): never {
  return fail('INVALID_INPUT', { field: 'path', rule: 'must be an attribute such as name.givenName' }, ['path'])
}
