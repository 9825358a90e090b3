// The toolbar above a list: its search and filters.
import type { ReactNode } from 'react'
import classes from './toolbar.module.css'

export function Toolbar({ children }: { readonly children: ReactNode }) {
  return <div className={classes['toolbar']}>{children}</div>
}
