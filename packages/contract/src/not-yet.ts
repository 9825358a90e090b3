// Parts of the product that are declared and documented but do not work yet. The documentation takes its notices from
// here; a test fails when a part lands and is still listed, or is declared and not listed.
import type { SettingName } from './config.ts'

export interface PendingPart {
  /** Name of the part, as the beginning of a sentence. */
  readonly title: string
  /** Description of what does not work, and the workaround. */
  readonly missing: string
  /** Operations that answer 501 until it works. */
  readonly operations: readonly string[]
  /** Settings that will be added with it. A name that is in the registry means that the part has landed. */
  readonly settings: readonly string[]
}

export const NOT_YET: Readonly<Record<string, PendingPart>> = {}

export type PendingPartName = keyof typeof NOT_YET

/** Settings of pending parts that are in the registry: those parts have landed. */
export function landedSettings(known: readonly SettingName[]): string[] {
  const names: readonly string[] = known
  return Object.values<PendingPart>(NOT_YET).flatMap(({ settings }) => settings.filter((name) => names.includes(name)))
}
