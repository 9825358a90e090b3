// Shown while the server is unreachable: the cause, the next retry, and a button to retry now; and while it takes long to answer.
import { Hourglass, Unplug } from 'lucide-react'
import { Button } from '../../ui/kit.ts'
import { useCountdown } from '../../ui/text/ticker.ts'
import { useConnectivity, useRuntime, useStore } from '../../core/context.tsx'
import { lostNotices } from '../../core/lost-notices.ts'
import { appMessages as texts } from '../../core/messages.ts'
import classes from './connectivity-banner.module.css'

export function ConnectivityBanner() {
  const { watch } = useRuntime()
  const state = useConnectivity()
  const leftMs = useCountdown(state.kind === 'unreachable' ? state.retryAt : 0)
  const isSlow = useStore(watch.isSlow)
  const isSaid = useStore(lostNotices) > 0
  if (state.kind === 'reachable') return isSlow ? <SlowBanner /> : null
  if (isSaid) return null
  const seconds = Math.ceil(leftMs / 1000)
  return (
    <div className={classes['banner']}>
      <Unplug size={16} aria-hidden />
      <div className={classes['body']}>
        <span role="alert">{state.cause === '' ? noAnswer() : state.cause}</span>
        <span className={classes['next']}>{seconds > 0 ? texts.retryIn(seconds) : texts.retrying}</span>
        <Button variant="default" size="compact-sm" onClick={watch.retryNow}>
          {texts.retryNow}
        </Button>
      </div>
    </div>
  )
}

const noAnswer = (): string => (navigator.onLine ? texts.unreachable : texts.offline)

function SlowBanner() {
  return (
    <div className={classes['banner']}>
      <Hourglass size={16} aria-hidden />
      <div className={classes['body']}>
        <span role="alert">{texts.slow}</span>
      </div>
    </div>
  )
}
