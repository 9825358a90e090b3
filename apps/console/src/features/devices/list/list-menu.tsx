// How the list looks, and what leaves it: columns, rows per page, density, export.
import { SlidersHorizontal } from 'lucide-react'
import { useStore } from '../../../core/context.tsx'
import { type DeviceKind, DEVICES_PER_PAGE, PAGE_SIZES } from '../../../core/devices/queries.ts'
import { Button, Menu } from '../../../ui/kit.ts'
import { DENSITIES, chooseDensity, density } from '../../../ui/list/density.ts'
import { devicesMessages as texts } from '../messages.ts'
import { rememberColumns, sanitized, visibleColumns } from './columns-choice.ts'
import { DEFAULT_COLUMNS, DEVICE_COLUMNS } from './device-columns.tsx'
import type { DevicesSearch } from '../search.ts'
import { EXPORT_FORMATS, useExport } from './use-export.ts'
import classes from './list.module.css'

interface ListMenuProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
  readonly onChange: (search: DevicesSearch) => void
}

export function ListMenu({ kind, search, onChange }: ListMenuProps) {
  const rowHeight = useStore(density)
  const exportAll = useExport(kind, search)
  const { status, size = DEVICES_PER_PAGE } = search
  const show = (ids: readonly string[] | undefined) => {
    rememberColumns(status, ids && sanitized(ids))
    // A view brings its columns in the address: what is chosen now replaces them.
    onChange({ ...search, cols: search.cols && [...(ids ?? DEFAULT_COLUMNS[status])] })
  }
  return (
    <Menu position="bottom-end" withinPortal closeOnItemClick={false}>
      <Menu.Target>
        <Button size="xs" variant="default" fw={500} leftSection={<SlidersHorizontal size={14} aria-hidden />}>
          {texts.display}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes['values'] ?? ''}>
        <Menu.Label>{texts.columnsLabel}</Menu.Label>
        <Menu.CheckboxGroup value={[...visibleColumns(search)]} onChange={show}>
          {/* The name is always shown. */}
          {DEVICE_COLUMNS.filter(({ id }) => id !== 'name').map(({ id, header }) => (
            <Menu.CheckboxItem key={id} value={id}>
              {header}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
        <Menu.Item onClick={() => show(undefined)}>{texts.defaultColumns}</Menu.Item>
        <Menu.Divider />
        <Menu.Label>{texts.rowHeight}</Menu.Label>
        <Menu.RadioGroup value={rowHeight}>
          {DENSITIES.map((each) => (
            <Menu.RadioItem key={each} value={each} onChange={() => chooseDensity(each)}>
              {texts.densities[each]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{texts.pageSize}</Menu.Label>
        <Menu.RadioGroup value={String(size)}>
          {PAGE_SIZES.map((each) => (
            <Menu.RadioItem
              key={each}
              value={String(each)}
              onChange={() => onChange({ ...search, size: each === DEVICES_PER_PAGE ? undefined : each, page: 1 })}
            >
              {texts.rows(each)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
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
      </Menu.Dropdown>
    </Menu>
  )
}
