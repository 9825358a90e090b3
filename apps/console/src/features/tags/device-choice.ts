// Which devices a key or rule is for, as a form holds it, and as the API does.
import { type DeviceFilter, Pattern, Tags } from '@bowline/contract/schemas/tag'
import { LIMITS } from '@bowline/contract/limits'
import { z } from 'zod'
import { tagsMessages as texts } from './messages.ts'
import { ANY } from './pattern-field.tsx'

export const DEVICE_CHOICES = ['all', 'pattern', 'tags'] as const

/** Fields of a form. Only what is chosen is judged. */
export const deviceChoiceFields = {
  devices: z.enum(DEVICE_CHOICES),
  hostname: z.string(),
  tags: z.array(z.string()),
} as const

export interface DeviceChoice {
  readonly devices: (typeof DEVICE_CHOICES)[number]
  readonly hostname: string
  readonly tags: string[]
}

/** Adds to a form's schema that the chosen pattern or tags are there. */
export function judgeChoice({ devices, hostname, tags }: DeviceChoice, context: z.core.$RefinementCtx): void {
  const field = devices === 'pattern' ? 'hostname' : 'tags'
  const judged =
    devices === 'pattern'
      ? Pattern.safeParse(hostname)
      : devices === 'tags'
        ? Tags.max(LIMITS.tagsPerItem).safeParse(tags)
        : undefined
  const message = judged?.error?.issues[0]?.message
  if (message !== undefined) context.addIssue({ code: 'custom', path: [field], message })
}

/** `setValue` of a form with these fields. */
interface SetChoice {
  (name: 'devices', value: DeviceChoice['devices']): void
  (name: 'hostname', value: string): void
  (name: 'tags', value: string[]): void
}

/** Puts a change into a form. */
export function setDeviceChoice(setValue: SetChoice, { devices, hostname, tags }: Partial<DeviceChoice>): void {
  if (devices) setValue('devices', devices)
  if (hostname !== undefined) setValue('hostname', hostname)
  if (tags) setValue('tags', tags.slice(0, LIMITS.tagsPerItem))
}

export function toFilter({ devices, hostname, tags }: DeviceChoice): DeviceFilter {
  if (devices === 'tags') return { tags }
  return { hostname: devices === 'all' ? ANY : hostname }
}

export function toChoice({ hostname, tags }: DeviceFilter): DeviceChoice {
  if (tags) return { devices: 'tags', hostname: '', tags: [...tags] }
  if (hostname === undefined || hostname === ANY) return { devices: 'all', hostname: '', tags: [] }
  return { devices: 'pattern', hostname, tags: [] }
}

/** In words: "all devices", "tagged lab, attic", "named ^pi-". */
export function describeFilter({ hostname, tags }: DeviceFilter): string {
  if (tags) return texts.filterTags(tags.join(', '))
  return hostname === undefined || hostname === ANY ? texts.allDevices : texts.filterPattern(hostname)
}
