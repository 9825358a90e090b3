// A note beside other content. For failures use ErrorPanel.
import { CircleAlert, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { Text } from '../kit.ts'
import classes from './callout.module.css'

interface CalloutProps {
  /** `warn`: needs action. */
  readonly tone: 'note' | 'warn'
  readonly title?: string
  /** Interrupts screen readers: for something that just went wrong. */
  readonly urgent?: boolean
  readonly children: ReactNode
}

export function Callout({ tone, title, urgent, children }: CalloutProps) {
  const Icon = tone === 'warn' ? CircleAlert : Info
  return (
    <div className={classes['callout']} data-tone={tone} {...(urgent ? { role: 'alert' } : {})}>
      <Icon size={17} aria-hidden className={classes['icon']} />
      <div className={classes['body']}>
        {title === undefined ? null : (
          <Text size="sm" fw={600}>
            {title}
          </Text>
        )}
        <Text size="sm" component="div">
          {children}
        </Text>
      </div>
    </div>
  )
}
