// Requests of members for access that the firewall denies them: for a limited time, with a reason, decided by somebody else.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { DeviceUid, NO_CONTROL, Page, ROW_IDS, Time, UserId } from '../../schemas/common.ts'
import { Tag } from '../../schemas/tag.ts'

const { accessRequests: limits } = LIMITS

/** `expired`: its time is over; `unanswered`: nobody decided in time; `withdrawn`: by its person before a decision. */
export const ACCESS_REQUEST_STATES = [
  'pending',
  'active',
  'denied',
  'expired',
  'ended',
  'withdrawn',
  'unanswered',
] as const
export type AccessRequestState = (typeof ACCESS_REQUEST_STATES)[number]

const minutesRule = `must be ${limits.minutes.min} to ${limits.minutes.max} minutes`
const Minutes = z
  .number()
  .int('must be a whole number')
  .min(limits.minutes.min, minutesRule)
  .max(limits.minutes.max, minutesRule)

/** Zero-width characters alone say nothing to whoever decides. */
const hasVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text)

const Account = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(limits.account, `must have at most ${limits.account} characters`)
  .regex(NO_CONTROL, 'must not have control characters')

const Accounts = z
  .array(Account)
  .min(1, 'must have at least one account')
  .max(limits.accounts, `must have at most ${limits.accounts} accounts`)
  .refine((names) => new Set(names).size === names.length, 'must not repeat an account')

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `must have at most ${max} characters`)
    .regex(NO_CONTROL, 'must not have control characters')

export const AccessRequestBody = z
  .object({
    /** A device, or the devices with a tag: one of the two. */
    device: DeviceUid.optional(),
    /** Includes devices that get the tag later. */
    tag: Tag.optional(),
    /** Accounts on the devices, exactly as they are called there. */
    accounts: Accounts,
    /** From the approval on; at most as long as the namespace allows. */
    minutes: Minutes,
    /** Approvers read it, and the audit log keeps it. */
    reason: text(limits.reason).min(1, 'is required').refine(hasVisible, 'is required'),
  })
  .refine(({ device, tag }) => (device === undefined) !== (tag === undefined), {
    message: 'must be given unless a tag is, and not beside one',
    path: ['device'],
  })
  .meta({ id: 'AccessRequestBody' })

const Somebody = z.object({
  /** Null when the account is gone. */
  id: UserId.nullable(),
  /** User name at that time. */
  name: z.string(),
})

export const AccessRequest = z
  .object({
    id: z.string(),
    state: z.enum(ACCESS_REQUEST_STATES),
    requester: Somebody,
    /** Null for a tag. */
    device: z
      .object({
        /** Null when the device is gone: the request lets nobody in any more. */
        uid: DeviceUid.nullable(),
        /** Name at the time of the request. */
        name: z.string(),
      })
      .nullable(),
    tag: z.string().nullable(),
    accounts: z.array(z.string()),
    /** Requested; after an approval, approved. */
    minutes: z.number().int(),
    reason: z.string(),
    created_at: Time,
    /** When it is unanswered, for a pending one. */
    pending_until: Time,
    decided_at: Time.nullable(),
    decided_by: Somebody.nullable(),
    /** Of a denial; '' without one. */
    note: z.string(),
    /** End of the access; null unless it was approved. */
    expires_at: Time.nullable(),
    ended_at: Time.nullable(),
    /** Null when it has not ended early, or has ended with the membership, the tag or the setting. */
    ended_by: Somebody.nullable(),
  })
  .meta({ id: 'AccessRequest' })
export type AccessRequest = z.infer<typeof AccessRequest>

const byId = z.object({ id: z.uuid().register(ROW_IDS, { noun: 'The access request' }) })
const path = '/api/access-requests'
/** Whoever may change the rules may set them aside for a time, and nobody else. People decide, not programs. */
const decides = { kind: 'member', permission: 'firewallEdit', keys: false } as const
const connects = { kind: 'member', permission: 'deviceConnect', keys: false } as const

export const accessRequests = {
  list: operation({
    method: 'GET',
    path,
    noun: 'access-requests',
    summary: 'Your own access requests, and those of everybody for whoever may decide them, newest first',
    access: connects,
    query: Page.extend({
      state: z.enum(['pending', 'active', 'past']).optional(),
      /** Of everybody, or your own. */
      of: z.enum(['all', 'me']).default('all'),
    }),
    response: z.array(AccessRequest),
    total: true,
  }),
  create: operation({
    method: 'POST',
    path,
    noun: 'access-requests',
    summary: 'Ask for access to a device, or to the devices with a tag, for a limited time',
    access: connects,
    body: AccessRequestBody,
    status: 201,
    response: AccessRequest,
    errors: ['NOT_FOUND', 'ACCESS_REQUESTS_OFF', 'ACCESS_REQUEST_LIMIT', 'NAMESPACE_FULL'],
  }),
  approve: operation({
    method: 'POST',
    path: `${path}/{id}/approve`,
    noun: 'access-requests',
    summary: 'Approve a request of somebody else, for its time or a shorter one',
    access: decides,
    params: byId,
    body: z.object({ minutes: Minutes.optional() }).meta({ id: 'AccessApproval' }),
    response: AccessRequest,
    errors: ['NOT_FOUND', 'OWN_ACCESS_REQUEST', 'ACCESS_REQUEST_STATE', 'ACCESS_REQUESTS_OFF', 'FRESH_PROOF_REQUIRED'],
  }),
  deny: operation({
    method: 'POST',
    path: `${path}/{id}/deny`,
    noun: 'access-requests',
    summary: 'Deny a request of somebody else',
    access: decides,
    params: byId,
    body: z.object({ note: text(limits.reason).default('') }).meta({ id: 'AccessDenial' }),
    response: AccessRequest,
    errors: ['NOT_FOUND', 'OWN_ACCESS_REQUEST', 'ACCESS_REQUEST_STATE'],
  }),
  end: operation({
    method: 'POST',
    path: `${path}/{id}/end`,
    noun: 'access-requests',
    summary: 'Withdraw a request of yours, or end access early: your own, or anybody’s for whoever may decide',
    access: connects,
    params: byId,
    response: AccessRequest,
    errors: ['NOT_FOUND', 'ACCESS_REQUEST_STATE'],
  }),
}
