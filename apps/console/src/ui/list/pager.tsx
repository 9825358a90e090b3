// Shows which part of a list is on screen, with links to its neighbours, its beginning and its end. Pages are links, so that they can be opened in
// a tab, shared and navigated back to.
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Group, Text } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import { formatCount } from '../text/numbers.ts'
import classes from './pager.module.css'

interface PagerProps {
  /** The noun for the landmark's label. */
  readonly list: string
  readonly page: number
  readonly perPage: number
  readonly total: number
  /** Renders a link to a page of the list. */
  readonly renderLink: (page: number, children: ReactNode, label: string, className: string) => ReactNode
}

export function Pager({ list, page, perPage, total, renderLink }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / perPage))
  if (total === 0 || (last === 1 && page === 1)) return null
  const first = (page - 1) * perPage + 1
  const range = uiMessages.range(formatCount(first), formatCount(Math.min(total, page * perPage)), formatCount(total))
  const step = classes['step'] ?? ''
  return (
    <nav aria-label={uiMessages.pages(list)} className={classes['pager']}>
      <Text size="sm" c="dimmed">
        {range}
      </Text>
      <Group gap={4}>
        {page > 2 ? renderLink(1, <ChevronFirst size={16} aria-hidden />, uiMessages.firstPage, step) : null}
        {page > 1 ? renderLink(page - 1, <ChevronLeft size={16} aria-hidden />, uiMessages.previousPage, step) : null}
        {page < last ? renderLink(page + 1, <ChevronRight size={16} aria-hidden />, uiMessages.nextPage, step) : null}
        {page < last - 1 ? renderLink(last, <ChevronLast size={16} aria-hidden />, uiMessages.lastPage, step) : null}
      </Group>
    </nav>
  )
}
