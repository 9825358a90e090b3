// Resources and lists of SCIM as they are answered (RFC 7643, RFC 7644 section 3.4.2). Pure.
import type { Group } from '../groups/service.ts'
import type { PersonRow } from '../people/store.ts'
import { GROUP_SCHEMA, USER_SCHEMA } from './paths.ts'

/** @param base address of the namespace's endpoints, without a slash at its end */
export function userResource(base: string, row: PersonRow) {
  const full = [row.given_name, row.family_name].filter((part) => part !== '').join(' ')
  return {
    schemas: [USER_SCHEMA],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    userName: row.user_name,
    name: { givenName: row.given_name, familyName: row.family_name, formatted: full },
    displayName: row.display_name === '' ? full || row.user_name : row.display_name,
    emails: [{ value: row.email, type: 'work', primary: true }],
    active: row.user_id !== null,
    meta: metaOf('User', `${base}/Users/${row.id}`, row),
  }
}

export function groupResource(base: string, { row, people }: Group) {
  const members = people?.map(({ person, name }) => ({
    value: person,
    display: name,
    type: 'User',
    $ref: `${base}/Users/${person}`,
  }))
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.name,
    ...(members === undefined ? {} : { members }),
    meta: metaOf('Group', `${base}/Groups/${row.id}`, row),
  }
}

function metaOf(
  resourceType: string,
  location: string,
  { created_at: created, changed_at: changed }: { readonly created_at: Date; readonly changed_at: Date },
) {
  return { resourceType, created: created.toISOString(), lastModified: changed.toISOString(), location }
}

/** @param startIndex from 1 */
export function listResponse(resources: readonly unknown[], total: number, startIndex: number) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}
