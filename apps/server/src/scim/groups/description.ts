// Groups as a provider describes them: from bodies of SCIM, whole or as changes, to the values that are kept. Pure.
import { text } from '../people/description.ts'
import { type Step, failField, fieldOf, isFields } from '../protocol/patch.ts'

export interface GroupDescription {
  readonly name: string
  readonly externalId: string | null
}

/** Members of one body; larger groups are sent in parts. */
export const MAX_MEMBERS = 5_000

/** @returns members: undefined when the body does not name any @throws {BowlineError} INVALID_INPUT */
export function readGroup(body: unknown): GroupDescription & { readonly members: readonly string[] | undefined } {
  if (!isFields(body)) return failField('body', 'must be an object')
  const externalId = fieldOf(body, 'externalId') ?? null
  const members = fieldOf(body, 'members')
  return {
    name: nameOf(fieldOf(body, 'displayName')),
    externalId: externalId === null ? null : text('externalId', externalId),
    members: members === undefined || members === null ? undefined : idsOf(members),
  }
}

/**
 * Applies changes to a description, and to its members in place.
 * @throws {BowlineError} INVALID_INPUT
 */
export function changeGroup(before: GroupDescription, members: Set<string>, steps: readonly Step[]): GroupDescription {
  let after = before
  for (const { op, path, value } of steps) {
    if (path.attribute === 'displayname') {
      after = { ...after, name: op === 'remove' ? failField('displayName', 'is required') : nameOf(value) }
    } else if (path.attribute === 'externalid') {
      after = { ...after, externalId: op === 'remove' || value === null ? null : text('externalId', value) }
    } else if (path.attribute === 'members') changeMembers(members, { op, path, value })
  }
  return after
}

function changeMembers(members: Set<string>, { op, path, value }: Step): void {
  if (path.where) {
    if (path.where.attribute !== 'value' || op !== 'remove')
      return failField('path', 'must be like members[value eq "…"]')
    members.delete(String(path.where.value).toLowerCase())
    return
  }
  const ids = op === 'remove' && (value === undefined || value === null) ? undefined : idsOf(value)
  if (op === 'replace' || ids === undefined) members.clear()
  for (const id of ids ?? []) {
    if (op === 'remove') members.delete(id)
    else members.add(id)
  }
}

function nameOf(value: unknown): string {
  const name = value === undefined || value === null ? '' : text('displayName', value).trim()
  return name === '' ? failField('displayName', 'is required') : name
}

function idsOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > MAX_MEMBERS) return failField('members', `must be at most ${MAX_MEMBERS} at once`)
  const ids = list.map((one) => {
    const id = isFields(one) ? fieldOf(one, 'value') : one
    return typeof id === 'string' && id.length <= 64 ? id.toLowerCase() : failField('members', 'must have values')
  })
  return [...new Set(ids)]
}
