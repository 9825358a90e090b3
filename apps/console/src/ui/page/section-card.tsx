// A section of a settings page: a title, a description and its controls.
import { type ReactNode, useRef } from 'react'
import { Text, Title } from '../kit.ts'
import { useSection } from './page-sections.tsx'
import classes from './section-card.module.css'

interface SectionCardProps {
  readonly title: string
  /** Its anchor in the address of the page, where links lead to. */
  readonly id?: string
  readonly text?: string
  /** Contains irreversible actions. */
  readonly danger?: boolean
  /** At the end of the heading line. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function SectionCard({ title, id, text, danger, actions, children }: SectionCardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useSection(id, title, heading)
  return (
    <section id={id} aria-label={title} className={classes['card']} data-danger={danger || undefined}>
      <div className={classes['head']}>
        <div>
          <Title order={2} ref={heading} tabIndex={id === undefined ? undefined : -1}>
            {title}
          </Title>
          {text === undefined ? null : (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </section>
  )
}

interface SettingRowProps {
  readonly label: string
  readonly hint: string
  readonly children: ReactNode
}

/** One setting: description on the left, control on the right. */
export function SettingRow({ label, hint, children }: SettingRowProps) {
  return (
    <div className={classes['row']}>
      <div className={classes['what']}>
        <Text size="sm" fw={550}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      </div>
      {children}
    </div>
  )
}
