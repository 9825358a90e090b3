// Link from a screen to its chapter of the documentation, in the screen's head.
import { BookOpen } from 'lucide-react'
import { createContext, useContext } from 'react'
import { uiMessages } from '../messages.ts'
import classes from './help-link.module.css'

/** Address of the chapter about the present screen; undefined where there is none. */
export const ScreenHelp = createContext<string | undefined>(undefined)

export function HelpLink() {
  const address = useContext(ScreenHelp)
  if (address === undefined) return null
  return (
    <a
      data-tip={uiMessages.help}
      href={address}
      target="_blank"
      rel="noopener"
      aria-label={uiMessages.help}
      className={classes['link']}
    >
      <BookOpen size={16} aria-hidden />
    </a>
  )
}
