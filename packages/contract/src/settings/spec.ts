// The description of a setting: one environment variable of one or more programs.
import type { z } from 'zod'

export type Program = 'server' | 'agent'

export interface SettingSpec {
  readonly programs: readonly Program[]
  /** Parses the variable's text. */
  readonly schema: z.ZodType
  /** One sentence for the documentation. */
  readonly description: string
  /** Never printed or logged. */
  readonly secret?: true
}
