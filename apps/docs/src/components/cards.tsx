// Links to further pages, as cards.
import Link from '@docusaurus/Link'
import type { ReactElement, ReactNode } from 'react'

export function Cards({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className="cards">{children}</div>
}

interface CardProps {
  readonly to: string
  readonly title: string
  readonly children: ReactNode
}

export function Card({ to, title, children }: CardProps): ReactElement {
  return (
    <Link className="card-link" to={to}>
      <strong>{title}</strong>
      <span>{children}</span>
    </Link>
  )
}
