// Asks the person in a terminal whether somebody may type in it. It takes no focus: what the person is typing must not
// answer it.
import { useState } from 'react'
import { Button, Group } from '../../../ui/kit.ts'
import { useCountdown } from '../../../ui/text/ticker.ts'
import type { Sharing } from '../connection/remote-terminal.ts'
import type { SharedPane } from './shared-pane.ts'
import { sharingMessages as texts } from './messages.ts'
import { useSharing } from './use-sharing.ts'
import classes from './sharing.module.css'

interface JoinQuestionsProps {
  readonly pane: SharedPane
  readonly onAnswered: () => void
}

export function JoinQuestions({ pane, onAnswered }: JoinQuestionsProps) {
  const sharing = useSharing(pane)
  return sharing?.asking.map((asking) => (
    <Question key={asking.guest} pane={pane} asking={asking} onAnswered={onAnswered} />
  ))
}

interface QuestionProps extends JoinQuestionsProps {
  readonly asking: Sharing['asking'][number]
}

function Question({ pane, onAnswered, asking: { guest, name, seconds } }: QuestionProps) {
  const [until] = useState(() => Date.now() + seconds * 1_000)
  const left = Math.max(0, Math.floor(useCountdown(until) / 1_000))
  const answer = (act: () => void) => () => {
    act()
    onAnswered()
  }
  return (
    <div role="alert" className={classes['question']}>
      <span className={classes['asked']}>
        <strong>{texts.asks(name)}</strong> {texts.asksHint}{' '}
        <span aria-hidden className={classes['left']}>
          {texts.secondsLeft(left)}
        </span>
      </span>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={answer(() => pane.remote()?.refuse(guest))}>
          {texts.deny}
        </Button>
        <Button size="compact-sm" onClick={answer(() => pane.admit(guest))}>
          {texts.allow}
        </Button>
      </Group>
    </div>
  )
}
