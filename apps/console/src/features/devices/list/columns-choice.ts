// Which columns a device list shows: those of the address, else those that this browser showed last.
import { useMemo, useSyncExternalStore } from 'react'
import { columnsChoice } from '../../../ui/controls/columns-choice.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS } from './device-columns.tsx'
import type { DeviceTab, DevicesSearch } from '../search.ts'

const columns = columnsChoice(DEVICE_COLUMNS.map(({ id }) => id))
const keyOf = (tab: DeviceTab): string => `bowline.device-columns.${tab}`
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Follows the choice: the address stays the same when it has no columns. */
export function useVisibleColumns({ status, cols }: Pick<DevicesSearch, 'status' | 'cols'>): readonly string[] {
  const ids = useSyncExternalStore(subscribe, () =>
    (cols ? columns.sanitized(cols) : (columns.read(keyOf(status)) ?? DEFAULT_COLUMNS[status])).join(' '),
  )
  return useMemo(() => ids.split(' '), [ids])
}

/** Keeps the choice for this browser. Undefined: back to the defaults. */
export function rememberColumns(tab: DeviceTab, ids: readonly string[] | undefined): void {
  columns.write(keyOf(tab), ids ? columns.sanitized(ids) : DEFAULT_COLUMNS[tab])
  for (const listener of listeners) listener()
}
