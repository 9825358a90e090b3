// Layout of pages outside of the shell: logo, heading, a narrow column, the choice of language.
import type { ReactNode } from 'react'
import { useDocumentTitle } from './document-title.ts'
import { LanguageChoice } from '../controls/language-choice.tsx'
import { Text, Title } from '../kit.ts'
import { Mark } from './mark.tsx'
import classes from './front-page.module.css'

interface FrontPageProps {
  /** Document title. */
  readonly title: string
  readonly heading: string
  readonly text?: string
  /** Small print below. */
  readonly foot?: string
  readonly children: ReactNode
}

export function FrontPage({ title, heading, text, foot, children }: FrontPageProps) {
  useDocumentTitle(title)
  return (
    <main className={classes['front']}>
      <div className={classes['column']}>
        <Mark size={40} />
        <Title order={1} className={classes['heading']}>
          {heading}
        </Title>
        {text === undefined ? null : (
          <Text c="dimmed" size="sm">
            {text}
          </Text>
        )}
        <div className={classes['body']}>{children}</div>
        <Text size="xs" c="dimmed" ta="center" mt="md" mih={18}>
          {foot}
        </Text>
        <div className={classes['language']}>
          <LanguageChoice />
        </div>
      </div>
    </main>
  )
}
