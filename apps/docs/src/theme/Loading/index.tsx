// Placeholder of a page that is loading or failed to load.
import type { ReactElement } from 'react'
import type { LoadingComponentProps } from 'react-loadable'

export default function Loading({ error, retry, pastDelay }: LoadingComponentProps): ReactElement | null {
  if (error) {
    return (
      <div className="load-failure" role="alert">
        <p>{String(error)}</p>
        <button type="button" className="button button--primary" onClick={retry}>
          Retry
        </button>
      </div>
    )
  }
  return pastDelay ? <output className="load-spinner" aria-label="Loading" /> : null
}
