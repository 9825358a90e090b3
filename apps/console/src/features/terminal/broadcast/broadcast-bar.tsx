// Tells that input is broadcast, to how many panes, and stops it.
import { Radio } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useStore } from '../../../core/context.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Button } from '../../../ui/kit.ts'
import type { Broadcast } from './broadcast.ts'
import { broadcastMessages as texts } from './messages.ts'
import classes from './broadcast.module.css'

interface BroadcastBarProps {
  readonly broadcast: Broadcast
  /** Panes of the tab. */
  readonly count: number
  /** Gives the keyboard back to the terminals. */
  readonly onDone: () => void
}

export function BroadcastBar({ broadcast, count, onDone }: BroadcastBarProps) {
  const state = useStore(broadcast.state)
  const wasOn = useRef(false)
  useEffect(() => {
    if (wasOn.current && !state) announce(texts.ended)
    wasOn.current = state !== undefined
  }, [state])
  if (!state) return null
  const text = texts.on(state.chosen.length, count)
  return (
    <div className={classes['bar']}>
      <Radio size={16} aria-hidden />
      <output className={classes['text']}>{text}</output>
      {state.chosen.length < count ? (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            broadcast.chooseAll()
            onDone()
          }}
        >
          {texts.all}
        </Button>
      ) : null}
      <Button
        size="compact-sm"
        color="red.8"
        onClick={() => {
          wasOn.current = false
          broadcast.stop()
          onDone()
        }}
      >
        {texts.stop}
      </Button>
    </div>
  )
}
