// State of a session: connecting, reconnecting, ended and why, with the available actions.
import { useEffect, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Button, Loader } from '../../../ui/kit.ts'
import { useCountdown } from '../../../ui/text/ticker.ts'
import { terminalMessages as texts } from '../messages.ts'
import { endText } from './end-text.ts'
import type { PaneState, SignInPane } from './pane-session.ts'
import { reconnect } from '../vault-sign-in.ts'
import classes from '../terminal.module.css'

interface PaneNoticeProps {
  readonly pane: SignInPane
  readonly state: PaneState
  /** The person wants to answer the device's question. */
  readonly onAnswer: () => void
}

export function PaneNotice({ pane, state, onAnswer }: PaneNoticeProps) {
  const runtime = useRuntime()
  useEffect(() => {
    let was = pane.state.get().kind
    return pane.state.subscribe(() => {
      const { kind } = pane.state.get()
      if (was === 'reconnecting' && kind === 'running') announce(texts.resumed)
      was = kind
    })
  }, [pane])
  switch (state.kind) {
    case 'connecting':
    case 'preparing':
      return (
        <output className={classes['notice']}>
          <Loader size={14} aria-hidden />
          <span className={classes['noticeText']}>{texts.connecting}</span>
        </output>
      )
    case 'asked':
      // The pane with the focus shows the question; several at once would cover each other.
      return (
        <output className={classes['notice']}>
          <span className={classes['noticeText']}>{texts.prompt.waits}</span>
          <Button size="compact-sm" variant="default" onClick={onAnswer}>
            {texts.prompt.answer}
          </Button>
        </output>
      )
    case 'reconnecting':
      return <Reconnecting pane={pane} until={state.until} />
    case 'ended':
      return (
        <div role="alert" className={classes['notice']}>
          <span className={classes['noticeText']}>
            <strong>{texts.ended}.</strong> {endText(state)}
          </span>
          <Button size="compact-sm" onClick={() => reconnect(runtime, pane)}>
            {texts.retry}
          </Button>
        </div>
      )
    default:
      return null
  }
}

function Reconnecting({ pane, until }: { readonly pane: SignInPane; readonly until: number }) {
  // The terminal's clock starts with the page, the countdown's in 1970.
  const [untilMs] = useState(() => Math.floor(Date.now() + until - performance.now()))
  const seconds = Math.floor(useCountdown(untilMs) / 1_000)
  return (
    <div role="alert" data-tone="warn" className={classes['notice']}>
      <Loader size={14} color="currentColor" aria-hidden />
      <span className={classes['noticeText']}>{texts.reconnecting(seconds)}</span>
      <Button size="compact-sm" variant="default" onClick={() => pane.remote()?.reconnectNow()}>
        {texts.tryNow}
      </Button>
    </div>
  )
}
