// How the list looks, and what leaves it: columns, rows per page, density, export.
import { type DeviceKind, DEVICES_PER_PAGE, PAGE_SIZES } from '../../../core/devices/queries.ts'
import { DisplayMenu } from '../../../ui/controls/display-menu.tsx'
import { rememberColumns, useVisibleColumns } from './columns-choice.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS } from './device-columns.tsx'
import type { DevicesSearch } from '../search.ts'
import { useExport } from './use-export.ts'

interface ListMenuProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
  readonly onChange: (search: DevicesSearch) => void
}

export function ListMenu({ kind, search, onChange }: ListMenuProps) {
  const exportAll = useExport(kind, search)
  const { status, size = DEVICES_PER_PAGE } = search
  const visible = useVisibleColumns(search)
  const show = (ids: readonly string[] | undefined) => {
    rememberColumns(status, ids)
    // A view brings its columns in the address: what is chosen now replaces them.
    if (search.cols) onChange({ ...search, cols: [...(ids ?? DEFAULT_COLUMNS[status])] })
  }
  return (
    <DisplayMenu
      columns={DEVICE_COLUMNS}
      visible={visible}
      onShow={show}
      sizes={PAGE_SIZES}
      size={size}
      onSize={(each) => onChange({ ...search, size: each === DEVICES_PER_PAGE ? undefined : each, page: 1 })}
      onExport={status === 'removed' ? undefined : exportAll}
    />
  )
}
