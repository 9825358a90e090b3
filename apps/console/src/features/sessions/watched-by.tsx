// Mark of a session that somebody watches while it runs.
import { Eye } from 'lucide-react'
import { formatList } from '../../ui/text/numbers.ts'
import { sessionsMessages as texts } from './messages.ts'
import classes from './sessions.module.css'

interface WatchedByProps {
  /** Usernames, and names of API keys. */
  readonly watchers: readonly string[] | undefined
  /** Only the symbol, for rows. */
  readonly short?: boolean
}

/** Nothing where nobody watches. */
export function WatchedBy({ watchers = [], short }: WatchedByProps) {
  if (watchers.length === 0) return null
  const text = texts.watchedBy(formatList(watchers))
  return (
    <span className={classes['watched']} title={text} {...(short ? { role: 'img', 'aria-label': text } : {})}>
      <Eye size={14} aria-hidden />
      {short ? null : text}
    </span>
  )
}
