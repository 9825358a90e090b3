// The checkbox of a table's row, and of its header. A plain element: a table has one in each row.
import { type ChangeEvent, useEffect, useRef } from 'react'
import classes from './check.module.css'

interface CheckProps {
  /** Its accessible name. */
  readonly label: string
  readonly checked: boolean
  /** Neither: some of what it stands for is chosen. */
  readonly indeterminate?: boolean
  readonly onChange: (event: ChangeEvent<HTMLInputElement>) => void
}

export function Check({ label, checked, indeterminate = false, onChange }: CheckProps) {
  const input = useRef<HTMLInputElement>(null)
  // Only a property says so, no attribute does.
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <input
      ref={input}
      type="checkbox"
      className={classes['check']}
      aria-label={label}
      checked={checked}
      onChange={onChange}
    />
  )
}
