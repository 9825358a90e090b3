// Notice about a part that does not work yet, from the contract's list.
import { NOT_YET, type PendingPartName } from '@bowline/contract/not-yet'
import Admonition from '@theme/Admonition'
import type { ReactElement } from 'react'
import { Marked } from './marked.tsx'

/** @throws {Error} when the part is no longer on the list: it has landed, and the notice must go */
export function NotYet({ part }: { readonly part: PendingPartName }): ReactElement {
  const pending = NOT_YET[part]
  if (!pending) throw new Error(`'${part}' is not on the list of parts that do not work yet: remove the notice`)
  return (
    <Admonition type="caution" title={`${pending.title}: not working yet`}>
      <p data-not-yet={part}>
        <Marked text={pending.missing} /> This page describes the agreed contract.
      </p>
    </Admonition>
  )
}
