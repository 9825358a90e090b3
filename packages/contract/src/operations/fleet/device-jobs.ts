// Changes of many devices, done by the server: one call for all that match, with progress and an undo.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import { DeviceUid, Page, Time } from '../../schemas/common.ts'
import { DeviceStatus } from '../../schemas/device.ts'
import { FilterText } from '../../schemas/filter.ts'
import { DeviceTags } from '../../schemas/tag.ts'

export const BULK_ACTIONS = ['accept', 'reject', 'tag', 'untag', 'remove'] as const
export type DeviceJobAction = (typeof BULK_ACTIONS)[number] | 'undo'

/** Devices that failed for the same reason. */
const Failure = z.object({
  code: z.string(),
  message: z.string(),
  count: z.number().int(),
  /** Names of some of them. */
  examples: z.array(z.string()),
})

export const DeviceJob = z
  .object({
    id: z.string(),
    action: z.enum([...BULK_ACTIONS, 'undo']),
    tags: z.array(z.string()),
    state: z.enum(['running', 'done', 'stopped']),
    /** Devices that matched when it was asked for. */
    total: z.number().int(),
    done: z.number().int(),
    failed: z.number().int(),
    /** By cause, the most frequent first. */
    failures: z.array(Failure),
    /** Some of it can be taken back. */
    can_undo: z.boolean(),
    /** Some of it can be tried again: failures that may end, and what a stop has left. */
    can_retry: z.boolean(),
    created_at: Time,
    finished_at: Time.nullable(),
  })
  .meta({ id: 'DeviceJob' })
export type DeviceJob = z.infer<typeof DeviceJob>

/** A device on which a job failed. */
export const DeviceJobFailure = z
  .object({
    /** It may have been removed since. */
    uid: DeviceUid,
    /** Name that it had when the job was asked for. */
    name: z.string(),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'DeviceJobFailure' })
export type DeviceJobFailure = z.infer<typeof DeviceJobFailure>

const byId = z.object({ id: z.uuid('must be the id of a job') })
const path = '/api/device-jobs'

export const deviceJobs = {
  create: operation({
    method: 'POST',
    path,
    noun: 'deviceJobs',
    summary: 'Change every device that matches; answers at once, and the server does it in the background',
    access: { kind: 'member', keys: false },
    body: z
      .object({
        action: z.enum(BULK_ACTIONS, `must be one of ${BULK_ACTIONS.join(', ')}`),
        /** For tag and untag. */
        tags: DeviceTags.default([]),
        list: z.enum(['devices', 'containers']).default('devices'),
        status: DeviceStatus.default('accepted'),
        filter: FilterText,
      })
      .refine(({ action, tags }) => tags.length > 0 === (action === 'tag' || action === 'untag'), {
        path: ['tags'],
        message: 'are needed for tag and untag, and for nothing else',
      }),
    status: 201,
    response: DeviceJob,
    errors: ['FRESH_PROOF_REQUIRED', 'INVALID_FILTER', 'NAMESPACE_FULL'],
  }),
  list: operation({
    method: 'GET',
    path,
    noun: 'deviceJobs',
    summary: 'Your latest changes of many devices: those that run, then the newest',
    access: { kind: 'member', keys: false },
    response: z.array(DeviceJob),
  }),
  get: operation({
    method: 'GET',
    path: `${path}/{id}`,
    noun: 'deviceJobs',
    summary: 'Progress of one of your changes of many devices, with its failures by cause',
    access: { kind: 'member', keys: false },
    params: byId,
    response: DeviceJob,
    errors: ['NOT_FOUND'],
  }),
  failures: operation({
    method: 'GET',
    path: `${path}/{id}/failures`,
    noun: 'deviceJobs',
    summary:
      'Devices on which one of your changes failed, by name; `format=csv` and `format=jsonl` export all that match',
    access: { kind: 'member', keys: false },
    params: byId,
    query: Page.extend({
      /** Code of a failure, such as `TAG_LIMIT`. */
      cause: z
        .string()
        .regex(/^[A-Z_]{1,64}$/, 'must be the code of a failure')
        .optional(),
      /** Exact message of a failure: one code may have several. */
      message: z.string().max(2_000, 'must have at most 2000 characters').optional(),
      format: z.enum(['json', 'csv', 'jsonl'], 'must be json, csv or jsonl').default('json'),
    }),
    response: z.array(DeviceJobFailure),
    total: true,
    jsonLines: true,
    asCsv: true,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  stop: operation({
    method: 'POST',
    path: `${path}/{id}/stop`,
    noun: 'deviceJobs',
    summary: 'Stop a change; what is done stays',
    access: { kind: 'member', keys: false },
    params: byId,
    errors: ['NOT_FOUND'],
  }),
  retry: operation({
    method: 'POST',
    path: `${path}/{id}/retry`,
    noun: 'deviceJobs',
    summary: 'Try a change again on the devices on which it failed or which it did not reach',
    access: { kind: 'member', keys: false },
    params: byId,
    status: 201,
    response: DeviceJob,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'CONFLICT', 'NAMESPACE_FULL'],
  }),
  undo: operation({
    method: 'POST',
    path: `${path}/{id}/undo`,
    noun: 'deviceJobs',
    summary: 'Take back what a change has done: tags, and rejections of pending devices',
    access: { kind: 'member', keys: false },
    params: byId,
    status: 201,
    response: DeviceJob,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'CONFLICT', 'NAMESPACE_FULL'],
  }),
}
