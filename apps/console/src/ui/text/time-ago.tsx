// A moment relative to now, with the exact time as its title; where people chose so, the date and time itself.
import { useSyncExternalStore } from 'react'
import { formatAgo, formatExactMoment, formatMinute } from './numbers.ts'
import { useNow } from './ticker.ts'
import { timeStyle } from './time-style.ts'

/** `time`: RFC 3339. */
export function TimeAgo({ time }: { readonly time: string }) {
  const now = useNow()
  const style = useSyncExternalStore(timeStyle.subscribe, timeStyle.get)
  return (
    <time dateTime={time} title={formatExactMoment(time)}>
      {style === 'absolute' ? formatMinute(time) : formatAgo(time, now)}
    </time>
  )
}
