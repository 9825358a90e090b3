// Rules of a namespace that tag devices by a search.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { ROW_IDS, Time } from '../../schemas/common.ts'
import { ruleQueryProblem } from '../../schemas/lists/tag-rule-query.ts'
import { Tag } from '../../schemas/tag.ts'

const { tagRules: limits } = LIMITS

/** A search as of the list of devices, without `tag:` and `is:`. */
export const TagRuleQuery = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(limits.query, `must have at most ${limits.query} characters`)
  .superRefine((query, context) => {
    const problem = query === '' ? undefined : ruleQueryProblem(query)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

export const TagRuleBody = z
  .object({
    tag: Tag,
    query: TagRuleQuery,
    /** The tags of a rule that is not active leave. */
    active: z.boolean().default(true),
  })
  .meta({ id: 'TagRuleBody' })

export const TagRule = z
  .object({
    id: z.string(),
    tag: z.string(),
    query: z.string(),
    active: z.boolean(),
    created_at: Time,
    changed_at: Time,
    /** Accepted and pending devices that match now. */
    matching: z.number().int(),
    /** Those of them that have the tag, whoever gave it. The others have no room for it, or are still waiting. */
    tagged: z.number().int(),
  })
  .meta({ id: 'TagRule' })
export type TagRule = z.infer<typeof TagRule>

export const TagRules = z
  .object({
    rules: z.array(TagRule),
    /** Devices that rules are still to be tried on, and those there were at the last change of a rule. */
    waiting: z.number().int(),
    devices: z.number().int(),
  })
  .meta({ id: 'TagRules' })
export type TagRules = z.infer<typeof TagRules>

/** A rule before it is saved. */
export const TagRuleTrial = TagRuleBody.extend({
  /** The rule that is changed; absent: a new one. */
  id: z.uuid().optional(),
  /** Absent: only what matches is counted. */
  tag: Tag.optional(),
}).meta({ id: 'TagRuleTrial' })

export const TagRuleEffect = z
  .object({
    /** Accepted and pending devices that match now, and the names of the first ones. */
    matching: z.number().int(),
    names: z.array(z.string()).max(limits.shownNames),
    /** Devices that get the tag, and those that lose the one that the rule gives now. */
    tagged: z.number().int(),
    untagged: z.number().int(),
  })
  .meta({ id: 'TagRuleEffect' })
export type TagRuleEffect = z.infer<typeof TagRuleEffect>

const byId = z.object({ id: z.uuid().register(ROW_IDS, { noun: 'The tag rule' }) })
const path = '/api/tag-rules'
/** Tags decide which rules, keys and roles are for a device: a rule decides that for devices to come. */
const access = { kind: 'member', permission: 'tagRuleEdit', keys: true } as const

export const tagRules = {
  list: operation({
    method: 'GET',
    path,
    noun: 'tag-rules',
    summary: 'Rules that tag devices by a search, by tag, and how far they have been applied',
    access: { kind: 'member', keys: true },
    cost: 10,
    response: TagRules,
  }),
  create: operation({
    method: 'POST',
    path,
    noun: 'tag-rules',
    summary: 'Make a rule that tags the devices that match a search, now and later',
    access,
    body: TagRuleBody,
    status: 201,
    response: TagRule,
    errors: ['CONFLICT', 'FRESH_PROOF_REQUIRED', 'NAMESPACE_FULL'],
  }),
  tryChange: operation({
    method: 'POST',
    path: `${path}/dry-run`,
    noun: 'tag-rules',
    summary: 'Which devices a rule would match, and how many would get or lose a tag by it',
    cost: 10,
    access,
    body: TagRuleTrial,
    response: TagRuleEffect,
    errors: ['NOT_FOUND'],
  }),
  update: operation({
    method: 'PUT',
    path: `${path}/{id}`,
    noun: 'tag-rules',
    summary: 'Change a rule; what it has tagged and matches no more loses the tag',
    access,
    params: byId,
    body: TagRuleBody.extend({ active: z.boolean() }).partial().meta({ id: 'TagRuleChange' }),
    response: TagRule,
    errors: ['CONFLICT', 'FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: `${path}/{id}`,
    noun: 'tag-rules',
    summary: 'Delete a rule; the tags that it has given leave the devices',
    access,
    params: byId,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
}
