// People as a provider describes them: from bodies of SCIM, whole or as changes, to the values that are kept. Attributes
// that are not kept are ignored, as RFC 7644 section 3.3 allows. Pure.
import { Email } from '@bowline/contract/schemas/common'
import type { Step } from '../protocol/patch.ts'
import { type Fields, failField, fieldOf, isFields } from '../protocol/patch.ts'
import type { Condition } from '../protocol/paths.ts'

export interface PersonDescription {
  readonly userName: string
  readonly externalId: string | null
  readonly displayName: string
  readonly givenName: string
  readonly familyName: string
  /** Lower-case. */
  readonly email: string
  readonly active: boolean
}

/** A description with an address that may still be missing or wrong. */
type Draft = { -readonly [K in keyof PersonDescription]: PersonDescription[K] }

const TEXT_LENGTH = 256

/** @throws {BowlineError} INVALID_INPUT naming the attribute */
export function readPerson(body: unknown): PersonDescription {
  if (!isFields(body)) return failField('body', 'must be an object')
  const draft: Draft = {
    userName: '',
    externalId: null,
    displayName: '',
    givenName: '',
    familyName: '',
    email: '',
    active: true,
  }
  for (const [name, value] of Object.entries(body)) {
    // Providers send null for what they do not know.
    if (value !== null) apply(draft, { op: 'replace', path: plain(name), value })
  }
  return finish(draft)
}

/** @throws {BowlineError} INVALID_INPUT naming the attribute */
export function changePerson(before: PersonDescription, steps: readonly Step[]): PersonDescription {
  const draft: Draft = { ...before }
  for (const step of steps) apply(draft, step)
  return finish(draft)
}

const plain = (name: string): Step['path'] => ({ attribute: name.toLowerCase(), where: undefined, part: undefined })

function finish(draft: Draft): PersonDescription {
  if (draft.userName === '') return failField('userName', 'is required')
  const email = Email.safeParse((draft.email === '' ? draft.userName : draft.email).trim())
  return email.success ? { ...draft, email: email.data } : failField('emails', 'must have an e-mail address')
}

function apply(draft: Draft, { op, path, value }: Step): void {
  const removes = op === 'remove'
  switch (path.attribute) {
    case 'username':
      draft.userName = removes ? '' : text('userName', value).trim()
      return
    case 'externalid':
      draft.externalId = removes || value === null ? null : text('externalId', value)
      return
    case 'displayname':
      draft.displayName = removes ? '' : text('displayName', value)
      return
    case 'active':
      draft.active = removes ? failField('active', 'cannot be removed') : truth(value)
      return
    case 'name':
      return applyName(draft, path.part, removes ? undefined : value)
    case 'emails':
      return applyEmails(draft, { op, path, value })
    default:
  }
}

/** @param value undefined removes */
function applyName(draft: Draft, part: string | undefined, value: unknown): void {
  if (part === undefined) {
    const parts = isFields(value) ? value : value === undefined ? {} : failField('name', 'must be an object')
    for (const name of ['givenname', 'familyname']) {
      const one = fieldOf(parts, name)
      if (one !== undefined || value === undefined) applyName(draft, name, one)
    }
    return
  }
  if (part === 'givenname') draft.givenName = value === undefined ? '' : text('name.givenName', value)
  if (part === 'familyname') draft.familyName = value === undefined ? '' : text('name.familyName', value)
}

/** One address is kept: the primary one, or the one for work. */
function applyEmails(draft: Draft, { op, path, value }: Step): void {
  if (path.where && !isMeant(path.where)) return
  if (path.part !== undefined && path.part !== 'value') return
  if (op === 'remove') {
    draft.email = ''
    return
  }
  const found = typeof value === 'string' ? value : addressOf(value, op === 'replace' || path.where !== undefined)
  if (found === undefined) return
  draft.email = text('emails', found)
}

function isMeant({ attribute, value }: Condition): boolean {
  if (attribute === 'primary') return value === true || value === 'true'
  return attribute === 'type' && String(value).toLowerCase() === 'work'
}

/** @param any an address that is neither primary nor for work will do */
function addressOf(value: unknown, any: boolean): unknown {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > 20) return failField('emails', 'must have at most 20 addresses')
  const emails = list.filter((one): one is Fields => isFields(one) && fieldOf(one, 'value') !== undefined)
  const chosen =
    emails.find((one) => String(fieldOf(one, 'primary')).toLowerCase() === 'true') ??
    emails.find((one) => String(fieldOf(one, 'type')).toLowerCase() === 'work') ??
    (any ? emails[0] : undefined)
  return chosen && fieldOf(chosen, 'value')
}

/** Some providers send truth as text. */
function truth(value: unknown): boolean {
  const word = typeof value === 'string' ? value.toLowerCase() : value
  if (word === true || word === 'true') return true
  return word === false || word === 'false' ? false : failField('active', 'must be true or false')
}

// oxlint-disable-next-line no-control-regex -- control characters are what the rule is about
const CONTROL = /[\u0000-\u001f\u007f]/

/** A text of one line. @throws {BowlineError} INVALID_INPUT */
export function text(field: string, value: unknown): string {
  if (value === null) return ''
  if (typeof value !== 'string') return failField(field, 'must be a text')
  if (value.length > TEXT_LENGTH) return failField(field, `must have at most ${TEXT_LENGTH} characters`)
  return CONTROL.test(value) ? failField(field, 'must not have control characters') : value
}
