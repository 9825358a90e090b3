// Layout of a page: document title, heading with the link to its documentation, actions.
import type { ReactNode } from 'react'
import { useDocumentTitle } from './document-title.ts'
import { Title } from '../kit.ts'
import { HelpLink } from './help-link.tsx'
import classes from './page.module.css'

interface PageProps {
  readonly title: string
  /** Badges beside the heading. */
  readonly mark?: ReactNode
  /** At the end of the heading line. */
  readonly actions?: ReactNode
  /** Above the heading. */
  readonly trail?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, mark, actions, trail, children }: PageProps) {
  useDocumentTitle(title)
  return (
    <div className={classes['page']}>
      {trail}
      <div className={classes['head']}>
        <div className={classes['heading']}>
          <Title order={1} className={classes['title']}>
            {title}
          </Title>
          {mark}
          <HelpLink />
        </div>
        {actions ? <div className={classes['actions']}>{actions}</div> : null}
      </div>
      {children}
    </div>
  )
}
