// Renders sentences of the contract, with code between backticks.
import { Fragment, type ReactElement } from 'react'

export function Marked({ text }: { readonly text: string }): ReactElement {
  return (
    <>
      {text.split(/(`[^`]*`)/).map((part, index) =>
        // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence never reorder
        part.startsWith('`') ? <code key={index}>{part.slice(1, -1)}</code> : <Fragment key={index}>{part}</Fragment>,
      )}
    </>
  )
}
