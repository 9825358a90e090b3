// A list with nothing in it: what would be here and how it gets here.
import type { ReactNode } from 'react'
import { Text, Title } from '../kit.ts'
import classes from './empty-state.module.css'

interface EmptyStateProps {
  readonly icon: ReactNode
  readonly title: string
  readonly text: string
  /** What to do about it. */
  readonly children?: ReactNode
}

export function EmptyState({ icon, title, text, children }: EmptyStateProps) {
  return (
    <div className={classes['empty']}>
      <div className={classes['icon']} aria-hidden>
        {icon}
      </div>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={460}>
        {text}
      </Text>
      {children}
    </div>
  )
}
