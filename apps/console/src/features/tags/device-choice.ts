// The devices that a key or rule applies to: converts between form fields and the API's filter.
import { type DeviceFilter, Pattern, Tags } from '@bowline/contract/schemas/tag'
import { LIMITS } from '@bowline/contract/limits'
import { z } from 'zod'
import { tagsMessages as texts } from './messages.ts'
import { ANY } from './pattern-field.tsx'

export const DEVICE_CHOICES = ['all', 'pattern', 'tags'] as const

/** Form fields. Only those of the selected kind are validated. */
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

/** Adds a schema check that the selected pattern or tags are present. */
export function checkChoice({ devices, hostname, tags }: DeviceChoice, context: z.core.$RefinementCtx): void {
  const field = devices === 'pattern' ? 'hostname' : 'tags'
  const result =
    devices === 'pattern'
      ? Pattern.safeParse(hostname)
      : devices === 'tags'
        ? Tags.max(LIMITS.tagsPerItem).safeParse(tags)
        : undefined
  const message = result?.error?.issues[0]?.message
  if (message !== undefined) context.addIssue({ code: 'custom', path: [field], message })
}

/** `setValue` of a form with these fields. */
interface SetChoice {
  (name: 'devices', value: DeviceChoice['devices']): void
  (name: 'hostname', value: string): void
  (name: 'tags', value: string[]): void
}

/** Applies a change to a form. */
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

/** As text: "all devices", "tagged lab, attic", "named ^pi-". */
export function describeFilter({ hostname, tags }: DeviceFilter): string {
  if (tags) return texts.filterTags(tags.join(', '))
  return hostname === undefined || hostname === ANY ? texts.allDevices : texts.filterPattern(hostname)
}
