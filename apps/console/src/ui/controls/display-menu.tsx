// Menu for the looks of a list: its columns, the height and the number of its rows; and its export.
import { ExportFormat } from '@bowline/contract/schemas/common'
import { SlidersHorizontal } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button } from '../kit.ts'
import { MenuButton } from './menu-button.tsx'
import { Menu } from './menu-parts.tsx'
import { DENSITIES, chooseDensity, density } from '../list/density.ts'
import { uiMessages } from '../messages.ts'
import { TIME_STYLES, chooseTimeStyle, timeStyle } from '../text/time-style.ts'
import classes from './choice-menu.module.css'

const texts = uiMessages.displayMenu

interface Grouping {
  /** Their names, by id. */
  readonly names: Readonly<Record<string, string>>
  readonly chosen: string | undefined
  readonly onChoose: (id: string | undefined) => void
}

interface DisplayMenuProps<Size extends number> {
  /** All columns; the first one is always shown. None: there is no choice. */
  readonly columns: readonly { readonly id: string; readonly header: string }[]
  readonly visible: readonly string[]
  /** Undefined: back to the defaults. */
  readonly onShow: (ids: readonly string[] | undefined) => void
  /** Rows of a page to choose from. */
  readonly sizes: readonly Size[]
  readonly size: Size
  readonly onSize: (size: Size) => void
  /** Saves every row that matches. Absent: the list has no export. */
  readonly onExport?: ((format: ExportFormat) => void) | undefined
  /** By what the rows can be grouped. Absent: by nothing. */
  readonly grouping?: Grouping
}

export function DisplayMenu<Size extends number>(props: DisplayMenuProps<Size>) {
  const { columns, visible, onShow, sizes, size, onSize, onExport, grouping } = props
  const rowHeight = useSyncExternalStore(density.subscribe, density.get)
  const times = useSyncExternalStore(timeStyle.subscribe, timeStyle.get)
  return (
    <MenuButton
      position="bottom-end"
      withinPortal
      closeOnItemClick={false}
      menuClass={classes['values']}
      face={
        <Button size="xs" variant="default" fw={500} leftSection={<SlidersHorizontal size={14} aria-hidden />}>
          {texts.display}
        </Button>
      }
    >
      {grouping ? <GroupingItems {...grouping} /> : null}
      {columns.length === 0 ? null : (
        <>
          <Menu.Label>{texts.columnsLabel}</Menu.Label>
          <Menu.CheckboxGroup value={[...visible]} onChange={onShow}>
            {columns.slice(1).map(({ id, header }) => (
              <Menu.CheckboxItem key={id} value={id}>
                {header}
              </Menu.CheckboxItem>
            ))}
          </Menu.CheckboxGroup>
          <Menu.Item onClick={() => onShow(undefined)}>{texts.defaultColumns}</Menu.Item>
          <Menu.Divider />
        </>
      )}
      <Menu.Label>{texts.rowHeight}</Menu.Label>
      <Menu.RadioGroup value={rowHeight}>
        {DENSITIES.map((each) => (
          <Menu.RadioItem key={each} value={each} onChange={() => chooseDensity(each)}>
            {texts.densities[each]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Label>{texts.times}</Menu.Label>
      <Menu.RadioGroup value={times}>
        {TIME_STYLES.map((each) => (
          <Menu.RadioItem key={each} value={each} onChange={() => chooseTimeStyle(each)}>
            {texts.timeStyles[each]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Label>{texts.pageSize}</Menu.Label>
      <Menu.RadioGroup value={String(size)}>
        {sizes.map((each) => (
          <Menu.RadioItem key={each} value={String(each)} onChange={() => onSize(each)}>
            {texts.rows(each)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      {onExport === undefined ? null : (
        <>
          <Menu.Divider />
          <Menu.Label>{texts.exportLabel}</Menu.Label>
          {ExportFormat.options.map((format) => (
            <Menu.Item key={format} closeMenuOnClick onClick={() => onExport(format)}>
              {texts.exportAs[format]}
            </Menu.Item>
          ))}
        </>
      )}
    </MenuButton>
  )
}

function GroupingItems({ names, chosen, onChoose }: Grouping) {
  return (
    <>
      <Menu.Label>{texts.groupBy}</Menu.Label>
      <Menu.RadioGroup value={chosen ?? ''}>
        <Menu.RadioItem value="" closeMenuOnClick onChange={() => onChoose(undefined)}>
          {texts.noGroups}
        </Menu.RadioItem>
        {Object.entries(names).map(([id, name]) => (
          <Menu.RadioItem key={id} value={id} closeMenuOnClick onChange={() => onChoose(id)}>
            {name}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
    </>
  )
}
