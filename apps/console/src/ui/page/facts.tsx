// Name and value pairs about one thing.
import type { ReactNode } from 'react'
import { Title } from '../kit.ts'
import classes from './facts.module.css'

interface FactsProps {
  readonly title: string
  /** At the end of the heading line. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Facts({ title, actions, children }: FactsProps) {
  return (
    <section className={classes['facts']}>
      <div className={classes['head']}>
        <Title order={2}>{title}</Title>
        {actions}
      </div>
      <dl>{children}</dl>
    </section>
  )
}

/** Sections side by side, stacked on narrow screens. */
export function FactColumns({ children }: { readonly children: ReactNode }) {
  return <div className={classes['columns']}>{children}</div>
}

interface FactProps {
  readonly name: string
  readonly children: ReactNode
}

/** One line of `Facts`. */
export function Fact({ name, children }: FactProps) {
  return (
    <div className={classes['fact']}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
