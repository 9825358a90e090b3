// Rules that tell people when devices go offline, come back, or are full or overloaded: by mail, to a webhook, or to Slack.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { NO_CONTROL, Page, ROW_IDS, Time, UserId } from '../../schemas/common.ts'
import { FilterText } from '../../schemas/filter.ts'
import { DeviceTags } from '../../schemas/tag.ts'

const { alerts: limits } = LIMITS

/** About presence. */
export const PRESENCE_CONDITIONS = ['offline', 'many-offline', 'back'] as const
export type PresenceCondition = (typeof PRESENCE_CONDITIONS)[number]
/** About health, with a threshold. */
export const HEALTH_CONDITIONS = ['disk', 'memory', 'load', 'latency'] as const
export type HealthCondition = (typeof HEALTH_CONDITIONS)[number]
export const ALERT_CONDITIONS = [...PRESENCE_CONDITIONS, ...HEALTH_CONDITIONS] as const
export const ALERT_TARGETS = ['mail', 'webhook', 'slack'] as const

const wholeNumber = (min: number, max: number) =>
  z
    .number('must be a number')
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`)

export const AlertName = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(limits.name, `must have at most ${limits.name} characters`)
  .regex(NO_CONTROL, 'must not have control characters')

/** Checked again by what may be dialled. */
export const AlertUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https://' })
  .max(limits.url, `must have at most ${limits.url} characters`)

/** Fields that may be changed. */
const Changeable = z.object({
  name: AlertName,
  /** Offline for so long (offline), within so long (many-offline), or after an absence of so long (back); beyond the threshold for so long. */
  minutes: wholeNumber(1, limits.minutes),
  /** For many-offline: so many devices at least. */
  devices: wholeNumber(2, limits.devices).nullable(),
  /** For disk and memory: percent; for load: that of each processor; for latency: milliseconds. From this value on a device is beyond it. */
  threshold: z
    .number('must be a number')
    .min(limits.threshold.min, `must be at least ${limits.threshold.min}`)
    .max(limits.latencyMs, `must be at most ${limits.latencyMs}`)
    .nullable(),
  /** Devices with one of these tags; none: all. */
  tags: DeviceTags,
  /** Devices that this filter of the device list finds, when the rule is evaluated; '': all. */
  filter: FilterText.unwrap(),
  /** For mail: members. */
  recipients: z.array(UserId).max(limits.recipients, `must be at most ${limits.recipients}`),
})

export const AlertBody = Changeable.extend({
  condition: z.enum(ALERT_CONDITIONS, `must be one of ${ALERT_CONDITIONS.join(', ')}`),
  target: z.enum(ALERT_TARGETS, `must be one of ${ALERT_TARGETS.join(', ')}`),
  devices: Changeable.shape.devices.default(null),
  threshold: Changeable.shape.threshold.default(null),
  tags: Changeable.shape.tags.default([]),
  filter: Changeable.shape.filter.default(''),
  recipients: Changeable.shape.recipients.default([]),
  /** For webhook and slack; it is not shown again. */
  url: AlertUrl.nullable().default(null),
}).meta({ id: 'AlertRuleBody' })
export type AlertBody = z.output<typeof AlertBody>

/** The rule that a threshold breaks; undefined where it breaks none. {@link AlertBody} knows the widest limits only. */
export function brokenByThreshold(condition: AlertRule['condition'], threshold: number | null): string | undefined {
  const isNeeded = HEALTH_CONDITIONS.some((one) => one === condition)
  if (isNeeded !== (threshold !== null)) return `is needed for ${HEALTH_CONDITIONS.join(', ')} only`
  if (threshold === null) return undefined
  if (condition === 'latency') return Number.isInteger(threshold) ? undefined : 'must be a whole number'
  return threshold > limits.threshold.max ? `must be at most ${limits.threshold.max}` : undefined
}

export const AlertChange = Changeable.partial()
  .extend({
    active: z.boolean().optional(),
    url: AlertUrl.optional(),
  })
  .meta({ id: 'AlertRuleChange' })

export const AlertRule = Changeable.extend({
  id: z.string(),
  active: z.boolean(),
  condition: z.enum(ALERT_CONDITIONS),
  target: z.enum(ALERT_TARGETS),
  /** Host of the address; '' for mail. */
  host: z.string(),
  /** Why the server has switched it off; null where it has not. */
  disabled_reason: z.string().nullable(),
  /** Since when its messages fail; null while they arrive. */
  failing_since: Time.nullable(),
  /** When it last made a message; null: never. */
  fired_at: Time.nullable(),
  created_at: Time,
}).meta({ id: 'AlertRule' })
export type AlertRule = z.infer<typeof AlertRule>

/** The secret that signs the messages of a webhook; null for other targets. */
const Secret = z.object({ secret: z.string().nullable() }).meta({ id: 'AlertSecret' })

const NewAlertRule = AlertRule.extend(Secret.shape).meta({ id: 'NewAlertRule' })

export const AlertDelivery = z
  .object({
    id: z.string(),
    /** A test message. */
    test: z.boolean(),
    text: z.string(),
    state: z.enum(['queued', 'sent', 'failed', 'cancelled']),
    attempts: z.number().int(),
    /** Result of the last attempt; '' before the first. */
    answer: z.string(),
    created_at: Time,
    /** When it is tried next; null unless it is queued. */
    due_at: Time.nullable(),
    finished_at: Time.nullable(),
  })
  .meta({ id: 'AlertDelivery' })
export type AlertDelivery = z.infer<typeof AlertDelivery>

const byId = z.object({ id: z.uuid().register(ROW_IDS, { noun: 'The alert rule' }) })
const path = '/api/alerts'
const access = { kind: 'member', permission: 'namespaceUpdate', keys: true } as const

export const alerts = {
  list: operation({
    method: 'GET',
    path,
    noun: 'alerts',
    summary: 'Alert rules of the namespace',
    access,
    response: z.array(AlertRule),
  }),
  create: operation({
    method: 'POST',
    path,
    noun: 'alerts',
    summary: 'Add an alert rule; the secret of a webhook is shown this once',
    access,
    body: AlertBody,
    status: 201,
    response: NewAlertRule,
    errors: ['FRESH_PROOF_REQUIRED', 'INVALID_FILTER', 'NAMESPACE_FULL'],
  }),
  update: operation({
    method: 'PUT',
    path: `${path}/{id}`,
    noun: 'alerts',
    summary: 'Change an alert rule, or switch it on or off',
    access,
    params: byId,
    body: AlertChange,
    response: AlertRule,
    errors: ['FRESH_PROOF_REQUIRED', 'INVALID_FILTER', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: `${path}/{id}`,
    noun: 'alerts',
    summary: 'Remove an alert rule with its messages',
    access,
    params: byId,
    errors: ['NOT_FOUND'],
  }),
  renewSecret: operation({
    method: 'POST',
    path: `${path}/{id}/secret`,
    noun: 'alerts',
    summary: 'Replace the secret of a webhook; it is shown this once',
    access,
    params: byId,
    response: Secret,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  test: operation({
    method: 'POST',
    path: `${path}/{id}/test`,
    noun: 'alerts',
    summary: 'Send a test message',
    access,
    params: byId,
    status: 201,
    response: AlertDelivery,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  deliveries: operation({
    method: 'GET',
    path: `${path}/{id}/deliveries`,
    noun: 'alerts',
    summary: 'Messages of an alert rule, the newest first',
    access,
    params: byId,
    query: Page,
    response: z.array(AlertDelivery),
    total: true,
    errors: ['NOT_FOUND'],
  }),
}
