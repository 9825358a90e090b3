// Text and body of a message. Pure.
import type { AlertRule, HealthCondition, PresenceCondition } from '@bowline/contract/operations/fleet/alerts'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { JsonObject } from '../db/schema.ts'
import type { Happening } from './happenings-store.ts'

type Told = Pick<AlertRule, 'minutes'> & { readonly condition: PresenceCondition }

/** One line: how many devices, what, and some names. */
export function textOf({ condition, minutes }: Told, { devices, names }: Pick<Happening, 'devices' | 'names'>): string {
  const time = minutes === 1 ? '1 minute' : `${minutes} minutes`
  const [only] = names
  if (devices === 1 && only !== undefined) {
    return condition === 'back' ? `${only} is back online.` : `${only} has been offline for ${time}.`
  }
  const list = listOf(devices, names)
  switch (condition) {
    case 'offline':
      return `${devices} devices have been offline for ${time}: ${list}.`
    case 'many-offline':
      return `${devices} devices went offline within ${time}: ${list}.`
    case 'back':
      return `${devices} devices are back online: ${list}.`
  }
}

function listOf(devices: number, names: readonly string[]): string {
  const rest = devices - names.length
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

/** A value that was reached, and one that a device has come below. */
const MEASURED: Readonly<Record<HealthCondition, readonly [(value: number) => string, (value: number) => string]>> = {
  disk: [(value) => `${value} % of a disk is used, or more`, (value) => `less than ${value} % of a disk is used`],
  memory: [
    (value) => `${value} % of the memory is used, or more`,
    (value) => `less than ${value} % of the memory is used`,
  ],
  load: [
    (value) => `the load per processor is ${value}, or more`,
    (value) => `the load per processor is less than ${value}`,
  ],
  latency: [
    (value) => `the round trip of the connection takes ${value} ms, or more`,
    (value) => `the round trip of the connection takes less than ${value} ms`,
  ],
}

/** One line about devices that are beyond a value, or below it again. */
export function healthText(
  { condition, value, isRecovered }: { condition: HealthCondition; value: number; isRecovered: boolean },
  { devices, names }: Pick<Happening, 'devices' | 'names'>,
): string {
  const [only] = names
  const who = devices === 1 && only !== undefined ? `${only}:` : `${listOf(devices, names)} (${devices} devices):`
  const [reached, recovered] = MEASURED[condition]
  return isRecovered ? `${who} ${recovered(value)} again.` : `${who} ${reached(value)}.`
}

export const TEST_TEXT = 'This is a test message. The alert rule works.'

/** Body of a webhook's message. Fields are only added to it. */
export function bodyOf(message: {
  readonly id: string
  readonly type: string
  readonly at: Date
  readonly namespace: { readonly id: TenantId; readonly name: string }
  readonly rule: { readonly id: string; readonly name: string }
  readonly devices: { readonly count: number; readonly names: readonly string[] }
  readonly text: string
  readonly link: string
}): JsonObject {
  return {
    ...message,
    at: message.at.toISOString(),
    devices: { ...message.devices, names: [...message.devices.names] },
  }
}

/** Text of a message for Slack, in which only three characters mean something. */
export function slackText(rule: string, text: string, link: string): string {
  const plain = (words: string): string =>
    words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `*${plain(rule).replaceAll('*', '∗')}*\n${plain(text)}\n<${link}|Open Bowline>`
}
