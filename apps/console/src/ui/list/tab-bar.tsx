// Tabs as links, because each has its own URL; controls for all of them at the end of the line.
import type { ReactNode } from 'react'
import { VisuallyHidden } from '../kit.ts'
import { formatCount } from '../text/numbers.ts'
import classes from './tab-bar.module.css'
import edges from '../page/edges.module.css'

export interface TabLink {
  readonly key: string
  readonly label: string
  readonly active: boolean
  readonly count?: number | undefined
  /** Qualifier of the count, if it is not of all rows: "found by the search and filters". */
  readonly countOf?: string | undefined
  /** The count needs attention. */
  readonly attention?: boolean
  /** Renders the link. */
  readonly render: (inner: ReactNode, properties: TabLinkProperties) => ReactNode
}

interface TabLinkProperties {
  readonly className: string
  readonly 'data-active': boolean
  readonly 'aria-current': 'page' | undefined
}

interface TabBarProps {
  /** Accessible name of the landmark. */
  readonly label: string
  readonly tabs: readonly TabLink[]
  readonly children?: ReactNode
}

export function TabBar({ label, tabs, children }: TabBarProps) {
  return (
    <div className={classes['line']}>
      <nav aria-label={label} className={`${classes['tabs']} ${edges['edges']}`}>
        {tabs.map(({ key, label: text, active, count, countOf, attention, render }) => (
          <span key={key}>
            {render(
              <>
                {text}
                {count === undefined ? null : (
                  <span className={classes['count']} data-attention={attention || undefined} title={countOf}>
                    {formatCount(count)}
                    {countOf === undefined ? null : <VisuallyHidden> {countOf}</VisuallyHidden>}
                  </span>
                )}
              </>,
              {
                className: classes['tab'] ?? '',
                'data-active': active,
                'aria-current': active ? 'page' : undefined,
              },
            )}
          </span>
        ))}
      </nav>
      {children}
    </div>
  )
}
