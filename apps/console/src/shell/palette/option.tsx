// oxlint-disable jsx-a11y/prefer-tag-over-role -- a select holds no icons and headings
// One line of the palette's list.
import { Kbd } from '../../ui/kit.ts'
import type { PaletteItem } from './items.ts'
import classes from './palette.module.css'

interface OptionProps {
  readonly item: PaletteItem
  readonly id: string
  readonly isActive: boolean
  /** Shown above the first item of a group. */
  readonly heading: string | undefined
  readonly onRun: (withShift: boolean) => void
}

export function Option({ item: { label, hint, note, icon: Icon }, id, isActive, heading, onRun }: OptionProps) {
  return (
    <>
      {heading === undefined ? null : (
        <div role="presentation" className={classes['heading']}>
          {heading}
        </div>
      )}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field handles the keys: the focus never leaves it */}
      <div
        id={id}
        role="option"
        aria-selected={isActive}
        tabIndex={-1}
        className={classes['option']}
        // Keep the focus in the field.
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => onRun(event.shiftKey)}
      >
        {Icon ? <Icon size={16} aria-hidden /> : <span className={classes['gap']} />}
        <span className={classes['label']}>{label}</span>
        {note === undefined ? null : <span className={classes['note']}>{note}</span>}
        {hint === undefined ? null : <Kbd className={classes['hint'] ?? ''}>{hint}</Kbd>}
      </div>
    </>
  )
}
