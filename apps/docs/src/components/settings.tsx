// Every environment variable of a program, from the contract's registry.
import { SETTINGS, type Program, type SettingName } from '@bowline/contract/config'
import Heading from '@theme/Heading'
import type { ReactElement } from 'react'
import { Marked } from './marked.tsx'

interface Shown {
  readonly name: SettingName
  readonly description: string
  readonly secret: boolean
  /** Text of the default; undefined: none. */
  readonly fallback: string | undefined
  readonly required: boolean
}

export function settingsOf(program: Program): Shown[] {
  return Object.entries(SETTINGS)
    .filter(([, spec]) => spec.programs.some((one) => one === program))
    .map(([name, spec]) => {
      const unset = spec.schema.safeParse(undefined)
      const value: unknown = unset.success ? unset.data : undefined
      return {
        name: name as SettingName,
        description: spec.description,
        secret: 'secret' in spec,
        fallback: textOf(value),
        required: !unset.success,
      }
    })
}

/** Of a default, undefined when it says nothing. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function Settings({ program }: { readonly program: Program }): ReactElement {
  return (
    <div className="settings">
      {settingsOf(program).map(({ name, description, secret, fallback, required }) => (
        <section key={name}>
          <Heading as="h3" id={name.toLowerCase().replaceAll('_', '-')}>
            <code>{name}</code>
          </Heading>
          <p>
            <Marked text={description} />
          </p>
          <p className="settings-facts">
            {required ? (
              'Required.'
            ) : fallback === undefined ? (
              'Not set by default.'
            ) : (
              <>
                Default: <code>{fallback}</code>.
              </>
            )}
            {secret ? ' Secret: never printed or logged.' : ''}
          </p>
        </section>
      ))}
    </div>
  )
}
