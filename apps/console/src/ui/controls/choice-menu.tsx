// Filters of a list as menus: the face says what is chosen.
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../kit.ts'
import { MenuButton } from './menu-button.tsx'
import { Menu } from './menu-parts.tsx'
import classes from './choice-menu.module.css'

interface ChoiceMenuProps {
  readonly label: string
  /** The chosen value in words; '' for none. */
  readonly chosen: string
  readonly onOpen?: () => void
  readonly children: ReactNode
}

/** The face of a filter: its name, or its name and what is chosen. */
export function ChoiceMenu({ label, chosen, onOpen, children }: ChoiceMenuProps) {
  return (
    <MenuButton
      position="bottom-start"
      withinPortal
      onOpen={() => onOpen?.()}
      menuClass={classes['values']}
      face={
        <Button
          size="compact-sm"
          variant="default"
          fw={500}
          className={classes['face'] ?? ''}
          data-chosen={chosen !== '' || undefined}
          rightSection={<ChevronDown size={13} aria-hidden />}
        >
          <span className={classes['name']}>{label}</span>
          {chosen === '' ? null : <span className={classes['value']}>{chosen}</span>}
        </Button>
      }
    >
      {children}
    </MenuButton>
  )
}

interface OneOfProps<Value extends string> {
  readonly label: string
  /** Name of no choice. */
  readonly none: string
  readonly values: readonly Value[]
  readonly names: Readonly<Record<Value, string>>
  readonly chosen: Value | undefined
  readonly onOpen?: () => void
  readonly onChoose: (value: Value | undefined) => void
}

/** A filter with one value, or none. */
export function OneOf<Value extends string>(props: OneOfProps<Value>) {
  const { label, none, values, names, chosen, onOpen, onChoose } = props
  return (
    <ChoiceMenu label={label} chosen={chosen === undefined ? '' : names[chosen]} onOpen={() => onOpen?.()}>
      <Menu.RadioGroup value={chosen ?? ''}>
        <Menu.RadioItem value="" closeMenuOnClick onChange={() => onChoose(undefined)}>
          {none}
        </Menu.RadioItem>
        {values.map((value) => (
          <Menu.RadioItem key={value} value={value} closeMenuOnClick onChange={() => onChoose(value)}>
            {names[value]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </ChoiceMenu>
  )
}
