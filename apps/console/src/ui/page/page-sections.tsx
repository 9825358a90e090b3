// The sections of a long page: a list of links to them, and the focus on the heading that the address names.
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, type RefObject, createContext, useContext, useEffect, useEffectEvent, useState } from 'react'
import { uiMessages } from '../messages.ts'
import classes from './page-sections.module.css'

interface Section {
  readonly id: string
  readonly title: string
  readonly heading: HTMLElement
}

/** Adds a section to the list of the page. @returns takes it away */
type Register = (section: Section) => () => void

const Registry = createContext<Register>(() => () => {})

interface PageSectionsProps {
  /** Sections with an id, which may come and go. */
  readonly children: ReactNode
}

/** Lists the sections inside, at the side of them or above on narrow screens. */
export function PageSections({ children }: PageSectionsProps) {
  const [sections, setSections] = useState<readonly Section[]>([])
  const [register] = useState(() => (section: Section) => {
    setSections((before) => inOrder([...before, section]))
    return () => setSections((before) => before.filter((each) => each !== section))
  })
  return (
    <div className={classes['page']}>
      <nav aria-label={uiMessages.onThisPage} className={classes['nav']}>
        <span aria-hidden className={classes['title']}>
          {uiMessages.onThisPage}
        </span>
        <ul className={classes['list']}>
          {sections.map(({ id, title, heading }) => (
            <li key={id}>
              {/* The address may name this section already. */}
              <Link to="." search hash={id} className={classes['link']} onClick={() => heading.focus()}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Registry value={register}>
        <div className={classes['body']}>{children}</div>
      </Registry>
    </div>
  )
}

/** As they follow each other on the page. */
function inOrder(sections: readonly Section[]): readonly Section[] {
  const follows = (one: Node, other: Node) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING
  return sections.toSorted((one, other) => (follows(one.heading, other.heading) ? 1 : -1))
}

/**
 * Lists a section where the page lists them, and focuses its heading when the address names it, also when it is drawn later.
 * @param id undefined: a section without an anchor
 */
export function useSection(id: string | undefined, title: string, heading: RefObject<HTMLElement | null>): void {
  const register = useContext(Registry)
  // The same for each visit of the address: following a link once more focuses once more.
  const visit = useLocation({ select: ({ hash, state }) => (hash === id ? (state.__TSR_key ?? '') : undefined) })
  const focus = useEffectEvent(() => {
    heading.current?.focus({ preventScroll: true })
    heading.current?.closest('section')?.scrollIntoView({ block: 'start' })
  })
  useEffect(() => {
    if (id === undefined || !heading.current) return undefined
    return register({ id, title, heading: heading.current })
  }, [register, id, title, heading])
  useEffect(() => {
    if (id !== undefined && visit !== undefined) focus()
  }, [id, visit])
}
