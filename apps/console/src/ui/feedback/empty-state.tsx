// Empty state of a list: what belongs here and how to get it here.
import type { ReactNode } from 'react'
import { Text, Title } from '../kit.ts'
import classes from './empty-state.module.css'

interface EmptyStateProps {
  readonly icon: ReactNode
  /** Absent below a heading that says it. */
  readonly title?: string
  readonly text: string
  /** The action to offer. */
  readonly children?: ReactNode
}

export function EmptyState({ icon, title, text, children }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <div className={classes['icon']} aria-hidden>
        {icon}
      </div>
      {title === undefined ? null : <Title order={2}>{title}</Title>}
      <Text c="dimmed" maw={460}>
        {text}
      </Text>
      {children}
    </div>
  )
}
