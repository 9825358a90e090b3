// Generates each program's environment variables as data: the contract's registry would bring its parsers to the
// browser.
import { writeFileSync } from 'node:fs'
import { type Program, SETTINGS } from '@bowline/contract/config'

export interface DocumentedSetting {
  readonly name: string
  readonly description: string
  readonly secret: boolean
  /** Text of the default; absent: none. */
  readonly fallback?: string
  readonly required: boolean
}

export type DocumentedSettings = Readonly<Record<Program, readonly DocumentedSetting[]>>

/** Relative to the site folder; read by src/components/settings.tsx. */
const FILE = '.generated/settings.json'

export function writeSettings(): void {
  const settings: DocumentedSettings = { server: settingsOf('server'), agent: settingsOf('agent') }
  writeFileSync(FILE, JSON.stringify(settings))
}

function settingsOf(program: Program): DocumentedSetting[] {
  return Object.entries(SETTINGS)
    .filter(([, spec]) => spec.programs.some((one) => one === program))
    .map(([name, spec]) => {
      const unset = spec.schema.safeParse(undefined)
      const fallback = textOf(unset.success ? unset.data : undefined)
      return {
        name,
        description: spec.description,
        secret: 'secret' in spec,
        ...(fallback === undefined ? {} : { fallback }),
        required: !unset.success,
      }
    })
}

/** Text of a default; undefined when it is not worth stating. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
