// Tracks devices that register while mounted, from the newest pending and accepted ones, which live events keep fresh:
// install keys accept devices as they register.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { type Baseline, baselineOf, withArrivals } from './arrivals.ts'
import { newestDevicesQuery, pendingDevicesQuery } from '../../../core/devices/queries.ts'

interface Watching {
  readonly baseline: Baseline
  readonly arrivals: readonly string[]
}

/** Uids of the devices that registered since mount, in registration order. */
export function useArrivals(): readonly string[] {
  const { api } = useRuntime()
  const { data: pending } = useQuery(pendingDevicesQuery(api))
  const { data: accepted } = useQuery(newestDevicesQuery(api))
  const items = pending && accepted ? [...pending.items, ...accepted.items].toSorted(newestFirst) : undefined
  const [watching, setWatching] = useState<Watching>()
  if (items && !watching) setWatching({ baseline: baselineOf(items), arrivals: [] })
  if (items && watching) {
    const arrivals = withArrivals(watching.arrivals, watching.baseline, items)
    if (arrivals !== watching.arrivals) setWatching({ ...watching, arrivals })
  }
  return watching?.arrivals ?? []
}

const newestFirst = (a: { readonly created_at: string }, b: { readonly created_at: string }): number =>
  b.created_at.localeCompare(a.created_at)
