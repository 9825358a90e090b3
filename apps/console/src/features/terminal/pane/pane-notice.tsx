// State of a session: connecting, reconnecting, ended and why, with the available actions.
import { useEffect, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { useLostNotice } from '../../../core/lost-notices.ts'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Button, Loader } from '../../../ui/kit.ts'
import { useCountdown } from '../../../ui/text/ticker.ts'
import { terminalMessages as texts } from '../messages.ts'
import { sharingMessages } from '../sharing/messages.ts'
import { endHint, endText } from './end-text.ts'
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
  const isJoined = pane.joined() !== undefined
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
    case 'asking':
      return <Asking pane={pane} until={state.until} />
    case 'reconnecting':
      return <Reconnecting pane={pane} until={state.until} />
    case 'ended':
      return (
        <div role="alert" className={classes['notice']}>
          <span className={classes['noticeText']}>
            <strong>{isJoined ? sharingMessages.over : texts.ended}.</strong> {endText(state)}
            {isJoined ? '' : ` ${endHint(state)}`}
          </span>
          <Button size="compact-sm" onClick={() => (isJoined ? pane.again() : reconnect(runtime, pane))}>
            {isJoined ? sharingMessages.askAgain : texts.retry}
          </Button>
        </div>
      )
    default:
      return null
  }
}

/** The person in the session has so much time to answer. */
function Asking({ pane, until }: { readonly pane: SignInPane; readonly until: number }) {
  const seconds = useSecondsLeft(until)
  return (
    <output className={classes['notice']}>
      <Loader size={14} aria-hidden />
      <span className={classes['noticeText']}>{sharingMessages.waiting(seconds)}</span>
      <Button size="compact-sm" variant="default" onClick={() => pane.disconnect()}>
        {sharingMessages.withdraw}
      </Button>
    </output>
  )
}

function Reconnecting({ pane, until }: { readonly pane: SignInPane; readonly until: number }) {
  const seconds = useSecondsLeft(until)
  useLostNotice()
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

/** @param until by the clock of the terminal, which starts with the page; the countdown's starts in 1970 */
function useSecondsLeft(until: number): number {
  const [untilMs] = useState(() => Math.floor(Date.now() + until - performance.now()))
  return Math.floor(useCountdown(untilMs) / 1_000)
}
