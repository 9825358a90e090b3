// A line of a recording with the matches highlighted.
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import type { ReactNode } from 'react'
import classes from '../player.module.css'

export function Snippet({ hit: { snippet, matches } }: { readonly hit: Pick<RecordingHit, 'snippet' | 'matches'> }) {
  const pieces: ReactNode[] = []
  let at = 0
  for (const { from, to } of matches) {
    pieces.push(snippet.slice(at, from), <mark key={from}>{snippet.slice(from, to)}</mark>)
    at = to
  }
  return (
    <span className={classes['snippet']}>
      {pieces}
      {snippet.slice(at)}
    </span>
  )
}
