// A moment relative to now, with the exact time as its title.
import { formatAgo, formatExactMoment } from './numbers.ts'
import { useNow } from './ticker.ts'

/** `time`: RFC 3339. */
export function TimeAgo({ time }: { readonly time: string }) {
  const now = useNow()
  return (
    <time dateTime={time} title={formatExactMoment(time)}>
      {formatAgo(time, now)}
    </time>
  )
}
