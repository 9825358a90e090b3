// How the list looks, and what leaves it: columns, rows per page, density, export.
import { type DeviceKind, DEVICES_PER_PAGE, PAGE_SIZES } from '../../../core/devices/queries.ts'
import { DisplayMenu } from '../../../ui/controls/display-menu.tsx'
import { Menu } from '../../../ui/kit.ts'
import { devicesMessages as texts } from '../messages.ts'
import { rememberColumns, visibleColumns } from './columns-choice.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS } from './device-columns.tsx'
import type { DevicesSearch } from '../search.ts'
import { EXPORT_FORMATS, useExport } from './use-export.ts'

interface ListMenuProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
  readonly onChange: (search: DevicesSearch) => void
}

export function ListMenu({ kind, search, onChange }: ListMenuProps) {
  const exportAll = useExport(kind, search)
  const { status, size = DEVICES_PER_PAGE } = search
  const show = (ids: readonly string[] | undefined) => {
    rememberColumns(status, ids)
    // A view brings its columns in the address: what is chosen now replaces them.
    onChange({ ...search, cols: search.cols && [...(ids ?? DEFAULT_COLUMNS[status])] })
  }
  return (
    <DisplayMenu
      columns={DEVICE_COLUMNS}
      visible={visibleColumns(search)}
      onShow={show}
      sizes={PAGE_SIZES}
      size={size}
      onSize={(each) => onChange({ ...search, size: each === DEVICES_PER_PAGE ? undefined : each, page: 1 })}
    >
      {status === 'removed' ? null : (
        <>
          <Menu.Divider />
          <Menu.Label>{texts.exportLabel}</Menu.Label>
          {EXPORT_FORMATS.map((format) => (
            <Menu.Item key={format} closeMenuOnClick onClick={() => exportAll(format)}>
              {texts.exportAs[format]}
            </Menu.Item>
          ))}
        </>
      )}
    </DisplayMenu>
  )
}
