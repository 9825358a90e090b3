// Facts about one thing: names and values.
import type { ReactNode } from 'react'
import { Title } from '../kit.ts'
import classes from './facts.module.css'

interface FactsProps {
  readonly title: string
  readonly children: ReactNode
}

export function Facts({ title, children }: FactsProps) {
  return (
    <section className={classes['facts']}>
      <Title order={2}>{title}</Title>
      <dl>{children}</dl>
    </section>
  )
}

/** Parts of a page side by side, one below the other where it is narrow. */
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
