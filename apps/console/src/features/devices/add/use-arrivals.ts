// Tracks devices that register while mounted, from the list of pending devices, which live events keep fresh.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { type Baseline, baselineOf, withArrivals } from './arrivals.ts'
import { pendingDevicesQuery } from '../../../core/devices/queries.ts'

interface Watching {
  readonly baseline: Baseline
  readonly arrivals: readonly string[]
}

/** Uids of the devices that registered since mount, in registration order. */
export function useArrivals(): readonly string[] {
  const { api } = useRuntime()
  const { data } = useQuery(pendingDevicesQuery(api))
  const [watching, setWatching] = useState<Watching>()
  if (data && !watching) setWatching({ baseline: baselineOf(data.items), arrivals: [] })
  if (data && watching) {
    const arrivals = withArrivals(watching.arrivals, watching.baseline, data.items)
    if (arrivals !== watching.arrivals) setWatching({ ...watching, arrivals })
  }
  return watching?.arrivals ?? []
}
