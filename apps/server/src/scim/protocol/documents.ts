// Capabilities of this service provider, for providers that ask (RFC 7643 sections 5 to 7). Pure.
import { LIMITS } from '@bowline/contract/limits'
import { GROUP_SCHEMA, USER_SCHEMA } from './paths.ts'

/** @param base address of the namespace's endpoints */
export function serviceProviderConfig(base: string) {
  const off = { supported: false }
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: LIMITS.scim.page },
    changePassword: off,
    sort: off,
    etag: off,
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token that an administrator of the namespace has made.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}

export function resourceTypes(base: string) {
  return (['User', 'Group'] as const).map((id) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id,
    name: id,
    endpoint: `/${id}s`,
    description: id === 'User' ? 'Member of the namespace' : 'Group that may give a role',
    schema: id === 'User' ? USER_SCHEMA : GROUP_SCHEMA,
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${id}` },
  }))
}

interface Attribute {
  readonly name: string
  readonly type: string
  readonly required?: boolean
  readonly multiValued?: boolean
  readonly caseExact?: boolean
  readonly uniqueness?: string
  readonly mutability?: string
  readonly subAttributes?: readonly Attribute[]
}

function attribute({ subAttributes, ...given }: Attribute): Record<string, unknown> {
  return {
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    description: '',
    ...given,
    ...(subAttributes ? { subAttributes: subAttributes.map((one) => attribute(one)) } : {}),
  }
}

const texts = (...names: readonly string[]): Attribute[] => names.map((name) => ({ name, type: 'string' }))

const USER: readonly Attribute[] = [
  { name: 'userName', type: 'string', required: true, uniqueness: 'server' },
  { name: 'externalId', type: 'string', caseExact: true },
  { name: 'name', type: 'complex', subAttributes: texts('givenName', 'familyName', 'formatted') },
  ...texts('displayName'),
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    subAttributes: [...texts('value', 'type'), { name: 'primary', type: 'boolean' }],
  },
  { name: 'active', type: 'boolean' },
]

const GROUP: readonly Attribute[] = [
  { name: 'displayName', type: 'string', required: true, uniqueness: 'server' },
  { name: 'externalId', type: 'string', caseExact: true },
  { name: 'members', type: 'complex', multiValued: true, subAttributes: texts('value', 'display') },
]

export function schemas(base: string) {
  return [
    { id: USER_SCHEMA, name: 'User', attributes: USER },
    { id: GROUP_SCHEMA, name: 'Group', attributes: GROUP },
  ].map(({ id, name, attributes }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description: name,
    attributes: attributes.map((one) => attribute(one)),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }))
}
