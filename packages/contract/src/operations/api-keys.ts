// API keys. A key is identified by its name in the path.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Page, UserId } from '../schemas/common.ts'
import { ApiKey, ApiKeyBody, ApiKeyChanges } from '../schemas/api-key.ts'

const byName = z.object({ key: z.string().max(64) })

export const apiKeys = {
  create: operation({
    method: 'POST',
    path: '/api/namespaces/api-key',
    noun: 'api-keys',
    summary: 'Create a key; its id is shown this once',
    access: { kind: 'member', permission: 'apiKeyCreate', keys: false },
    body: ApiKeyBody,
    response: ApiKey.extend({ id: z.uuid(), user_id: UserId }).meta({ id: 'NewApiKey' }),
    errors: ['NAMESPACE_FULL', 'ROLE_TOO_HIGH', 'CONFLICT', 'FRESH_PROOF_REQUIRED'],
  }),
  list: operation({
    method: 'GET',
    path: '/api/namespaces/api-key',
    noun: 'api-keys',
    summary: 'Keys of the namespace',
    access: { kind: 'member', keys: true },
    query: Page.extend({
      sort_by: z.enum(['expires_in', 'name', 'role', 'created_at', 'updated_at']).default('expires_in'),
      order_by: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc'),
    }),
    response: z.array(ApiKey),
    total: true,
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/namespaces/api-key/{key}',
    noun: 'api-keys',
    summary: 'Change name, role or scopes of a key',
    access: { kind: 'member', permission: 'apiKeyUpdate', keys: false },
    params: byName,
    body: ApiKeyChanges,
    errors: ['ROLE_TOO_HIGH', 'NOT_FOUND', 'CONFLICT', 'FRESH_PROOF_REQUIRED'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/namespaces/api-key/{key}',
    noun: 'api-keys',
    summary: 'Delete a key',
    access: { kind: 'member', permission: 'apiKeyDelete', keys: false },
    params: byName,
    errors: ['NOT_FOUND'],
  }),
}
