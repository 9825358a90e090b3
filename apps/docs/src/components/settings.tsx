// Table of a program's environment variables, from the contract's registry.
import type { Program } from '@bowline/contract/config'
import Heading from '@theme/Heading'
import settings from '@site/.generated/settings.json'
import type { ReactElement } from 'react'
import { Marked } from './marked.tsx'

export function Settings({ program }: { readonly program: Program }): ReactElement {
  return (
    <div className="settings">
      {settings[program].map(({ name, description, secret, fallback, required }) => (
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
