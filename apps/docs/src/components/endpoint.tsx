// Method and path of an operation, at the top of its page.
import type { ReactElement } from 'react'

export function Endpoint({ method, path }: { readonly method: string; readonly path: string }): ReactElement {
  return (
    <p className="endpoint">
      <span className={`method method-${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
    </p>
  )
}
