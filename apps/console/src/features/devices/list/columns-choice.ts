// Which columns a device list shows: those of the address, else those that this browser showed last.
import { readSetting, writeSetting } from '../../../ui/local-setting.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS } from './device-columns.tsx'
import type { DeviceTab, DevicesSearch } from '../search.ts'

const keyOf = (tab: DeviceTab): string => `bowline.device-columns.${tab}`

/** Known columns in the order of the table; the name is always among them. */
export function sanitized(ids: readonly string[]): readonly string[] {
  return DEVICE_COLUMNS.map(({ id }) => id).filter((id) => id === 'name' || ids.includes(id))
}

export function visibleColumns({ status, cols }: Pick<DevicesSearch, 'status' | 'cols'>): readonly string[] {
  if (cols) return sanitized(cols)
  const stored = readSetting(keyOf(status))
  return stored === undefined ? DEFAULT_COLUMNS[status] : sanitized(stored.split(' '))
}

/** Keeps the choice for this browser. Undefined: back to the defaults. */
export function rememberColumns(tab: DeviceTab, ids: readonly string[] | undefined): void {
  writeSetting(keyOf(tab), (ids ?? DEFAULT_COLUMNS[tab]).join(' '))
}
