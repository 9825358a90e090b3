// Tags of a namespace: on its devices, public keys and firewall rules.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Tag } from '../schemas/tag.ts'

const byTag = z.object({ tag: Tag })

export const tags = {
  list: operation({
    method: 'GET',
    path: '/api/tags',
    noun: 'tags',
    summary: 'Tags in use, those of devices first',
    access: { kind: 'member', keys: true },
    response: z.array(z.string()),
    total: true,
    errors: ['NOT_FOUND'],
  }),
  rename: operation({
    method: 'PUT',
    path: '/api/tags/{tag}',
    noun: 'tags',
    summary: 'Rename a tag everywhere',
    access: { kind: 'member', permission: 'deviceTagRename', keys: true },
    params: byTag,
    body: z.object({ tag: Tag }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'CONFLICT', 'POLICY_CHANGE'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/tags/{tag}',
    noun: 'tags',
    summary: 'Remove a tag everywhere',
    access: { kind: 'member', permission: 'deviceTagDelete', keys: true },
    params: byTag,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'POLICY_CHANGE'],
  }),
}
