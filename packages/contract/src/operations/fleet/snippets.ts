// Texts of a namespace that its members insert into terminals: whoever inserts one runs it as themselves.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { NO_CONTROL, ROW_IDS, Time, UserId } from '../../schemas/common.ts'
import { DeviceTags } from '../../schemas/tag.ts'

const { snippets: limits } = LIMITS

const SnippetName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(limits.name, `must have at most ${limits.name} characters`)
  .regex(NO_CONTROL, 'must not have control characters')

/**
 * What is shown must be what is inserted: no characters that a terminal acts on, tabs among them, and none that are invisible
 * or change the order of others.
 */
const ONLY_VISIBLE =
  // oxlint-disable-next-line no-control-regex -- the characters that it refuses
  /^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$/u

const SnippetText = z
  .string()
  .min(1, 'is required')
  .max(limits.text, `must have at most ${limits.text} characters`)
  .regex(ONLY_VISIBLE, 'must have visible characters, spaces and ends of lines only')
  // The end of a line is the Enter key to a shell.
  .refine((text) => !text.endsWith('\n'), 'must not end with the end of a line')

const SnippetTags = DeviceTags.max(LIMITS.tagsPerItem, 'must have at most 3 tags')

export const SnippetBody = z
  .object({
    name: SnippetName,
    /** Lines are separated by a line feed. */
    text: SnippetText,
    /** Offered on devices with one of these tags; none: on all. */
    tags: SnippetTags.default([]),
  })
  .meta({ id: 'SnippetBody' })

const Author = z.object({
  /** Null when the account is gone. */
  id: UserId.nullable(),
  /** User name at the time of the change. */
  name: z.string(),
})

export const SharedSnippet = z
  .object({
    id: z.string(),
    name: z.string(),
    text: z.string(),
    tags: DeviceTags,
    created_at: Time,
    created_by: Author,
    changed_at: Time,
    /** Who changed the name, the text or the tags last. */
    changed_by: Author,
  })
  .meta({ id: 'SharedSnippet' })
export type SharedSnippet = z.infer<typeof SharedSnippet>

const byId = z.object({ id: z.uuid().register(ROW_IDS, { noun: 'The snippet' }) })
const path = '/api/snippets'
/** What administrators share may run as anybody who chooses it, with what that person may do on the device. */
const access = { kind: 'member', permission: 'namespaceUpdate', keys: false } as const
const BODY_BYTES = 32_768

export const snippets = {
  list: operation({
    method: 'GET',
    path,
    noun: 'snippets',
    summary: 'Snippets of the namespace, which its members insert into terminals, by name',
    access: { kind: 'member', keys: false },
    response: z.array(SharedSnippet),
  }),
  create: operation({
    method: 'POST',
    path,
    noun: 'snippets',
    summary: 'Share a snippet with the namespace',
    access,
    body: SnippetBody,
    bodyBytes: BODY_BYTES,
    status: 201,
    response: SharedSnippet,
    errors: ['CONFLICT', 'FRESH_PROOF_REQUIRED', 'NAMESPACE_FULL'],
  }),
  update: operation({
    method: 'PUT',
    path: `${path}/{id}`,
    noun: 'snippets',
    summary: 'Change a snippet of the namespace',
    access,
    params: byId,
    body: SnippetBody.extend({ tags: SnippetTags }).partial().meta({ id: 'SnippetChange' }),
    bodyBytes: BODY_BYTES,
    response: SharedSnippet,
    errors: ['CONFLICT', 'FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: `${path}/{id}`,
    noun: 'snippets',
    summary: 'Delete a snippet of the namespace',
    access,
    params: byId,
    errors: ['NOT_FOUND'],
  }),
}
