// Badge that shows whether the page follows the server live.
import { useLiveState } from '../../core/context.tsx'
import { appMessages } from '../../core/messages.ts'
import classes from './live-mark.module.css'

export function LiveMark() {
  const state = useLiveState()
  if (state === 'stopped') return null
  const live = state === 'live'
  const label = live ? appMessages.live : state === 'connecting' ? appMessages.connecting : appMessages.reconnecting
  return (
    <output
      data-tip={state === 'connecting' ? undefined : live ? appMessages.liveHint : appMessages.reconnectingHint}
      className={classes['mark']}
      data-state={state}
    >
      <span className={classes['dot']} aria-hidden />
      {label}
    </output>
  )
}
