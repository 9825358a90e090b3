// Public keys.
import * as z from 'zod'
import type { Permission } from '../roles.ts'
import { operation } from '../operation.ts'
import { Page } from '../schemas/common.ts'
import { FilterText } from '../schemas/filter.ts'
import { Fingerprint, KeyDevices, PublicKey, PublicKeyBody } from '../schemas/public-key.ts'
import { Tag, Tags } from '../schemas/tag.ts'

const byFingerprint = z.object({ fingerprint: Fingerprint })
const may = (permission: Permission) => ({ kind: 'member', permission, keys: true }) as const

export const publicKeys = {
  list: operation({
    method: 'GET',
    path: '/api/sshkeys/public-keys',
    noun: 'public-keys',
    summary: 'Public keys of the namespace, oldest first',
    access: { kind: 'member', keys: true },
    query: Page.extend({ filter: FilterText }),
    response: z.array(PublicKey),
    total: true,
    errors: ['INVALID_FILTER'],
  }),
  create: operation({
    method: 'POST',
    path: '/api/sshkeys/public-keys',
    noun: 'public-keys',
    summary: 'Add a public key',
    bodyBytes: 65_536,
    access: may('publicKeyCreate'),
    body: PublicKeyBody.extend({ data: z.string().min(1, 'is required').max(32_768) }),
    response: PublicKey,
    errors: [
      'POLICY_LIMIT',
      'INVALID_KEY_DATA',
      'NOT_FOUND',
      'CONFLICT',
      'FRESH_PROOF_REQUIRED',
      'SERVICE_KEY_REFUSED',
    ],
  }),
  findDevices: operation({
    method: 'POST',
    path: '/api/sshkeys/public-keys/devices',
    noun: 'public-keys',
    summary: 'Preview the accepted devices and containers that a key with this filter would apply to',
    cost: 10,
    access: may('publicKeyEdit'),
    body: PublicKeyBody.pick({ filter: true }),
    response: KeyDevices,
  }),
  update: operation({
    method: 'PUT',
    path: '/api/sshkeys/public-keys/{fingerprint}',
    noun: 'public-keys',
    summary: 'Change name, login, devices and owner of a public key',
    access: may('publicKeyEdit'),
    params: byFingerprint,
    body: PublicKeyBody,
    response: PublicKey,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'SERVICE_KEY_REFUSED'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/sshkeys/public-keys/{fingerprint}',
    noun: 'public-keys',
    summary: 'Remove a public key',
    access: may('publicKeyRemove'),
    params: byFingerprint,
    errors: ['NOT_FOUND'],
  }),
  addTag: operation({
    method: 'POST',
    path: '/api/sshkeys/public-keys/{fingerprint}/tags',
    noun: 'public-keys',
    summary: 'Add a tag to the filter of a key',
    access: may('publicKeyTagAdd'),
    params: byFingerprint,
    body: z.object({ tag: Tag }),
    errors: ['FRESH_PROOF_REQUIRED', 'SERVICE_KEY_REFUSED', 'NOT_FOUND', 'TAG_LIMIT', 'CONFLICT'],
  }),
  setTags: operation({
    method: 'PUT',
    path: '/api/sshkeys/public-keys/{fingerprint}/tags',
    noun: 'public-keys',
    summary: 'Set the tags of the filter of a key',
    access: may('publicKeyTagUpdate'),
    params: byFingerprint,
    body: z.object({ tags: Tags }),
    errors: ['FRESH_PROOF_REQUIRED', 'SERVICE_KEY_REFUSED', 'NOT_FOUND', 'TAG_LIMIT'],
  }),
  removeTag: operation({
    method: 'DELETE',
    path: '/api/sshkeys/public-keys/{fingerprint}/tags/{tag}',
    noun: 'public-keys',
    summary: 'Remove a tag from the filter of a key',
    access: may('publicKeyTagRemove'),
    params: byFingerprint.extend({ tag: Tag }),
    errors: ['FRESH_PROOF_REQUIRED', 'SERVICE_KEY_REFUSED', 'NOT_FOUND'],
  }),
}
