// Replaces the whole site when even its layout crashes; within the layout the theme shows the same text.
import type { ReactElement } from 'react'

interface ErrorProps {
  readonly error: Error
  readonly tryAgain: () => void
}

export default function ErrorPage({ error, tryAgain }: ErrorProps): ReactElement {
  return (
    <main className="load-failure">
      <h1>This page crashed.</h1>
      <p>{error.message}</p>
      <button type="button" className="button button--primary" onClick={tryAgain}>
        Try again
      </button>
    </main>
  )
}
