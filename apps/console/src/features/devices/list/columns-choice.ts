// Which columns a device list shows: those of the address, else those that this browser showed last.
import { columnsChoice } from '../../../ui/controls/columns-choice.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS } from './device-columns.tsx'
import type { DeviceTab, DevicesSearch } from '../search.ts'

const columns = columnsChoice(DEVICE_COLUMNS.map(({ id }) => id))
const keyOf = (tab: DeviceTab): string => `bowline.device-columns.${tab}`

export function visibleColumns({ status, cols }: Pick<DevicesSearch, 'status' | 'cols'>): readonly string[] {
  return cols ? columns.sanitized(cols) : (columns.read(keyOf(status)) ?? DEFAULT_COLUMNS[status])
}

/** Keeps the choice for this browser. Undefined: back to the defaults. */
export function rememberColumns(tab: DeviceTab, ids: readonly string[] | undefined): void {
  columns.write(keyOf(tab), ids ? columns.sanitized(ids) : DEFAULT_COLUMNS[tab])
}
