// Playback buttons.
import { Keyboard, Maximize, Pause, Play, Radio, RotateCcw } from 'lucide-react'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { Button, NativeSelect, Popover } from '../../../ui/kit.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { playerMessages as texts } from '../messages.ts'
import { type Playback, type PlaybackState, SPEEDS } from '../engine/playback.ts'
import { keyNames } from '../../../ui/text/key-name.ts'
import classes from '../player.module.css'
import type { Seat } from '../queries.ts'
import { formatClock } from '../../../ui/text/clock.ts'

interface ControlsProps {
  readonly playback: Playback
  readonly state: PlaybackState
  /** More is being recorded. */
  readonly live: boolean
  readonly link: Seat
  readonly onFullScreen: () => void
}

/** Closer than this to the end, a live recording is followed live. */
const LIVE_MS = 4_000

export function Controls({ playback, state, live, link, onFullScreen }: ControlsProps) {
  const { atMs, endMs, playing, speed, skipsIdle } = state
  const ended = !playing && !live && endMs > 0 && atMs >= endMs
  const label = playing ? texts.pause : ended ? texts.again : texts.play
  const Icon = playing ? Pause : ended ? RotateCcw : Play
  return (
    <div className={classes['controls']}>
      <IconButton
        data-tip={label}
        size={36}
        look="filled"
        aria-label={label}
        onClick={() => (playing ? playback.pause : playback.play)()}
      >
        <Icon size={18} aria-hidden />
      </IconButton>
      <span className={classes['clock']}>
        {formatClock(atMs)} <span className={classes['dim']}>/ {formatClock(endMs)}</span>
      </span>
      {live ? (
        <Button
          size="compact-sm"
          variant={endMs - atMs < LIVE_MS && playing ? 'light' : 'default'}
          leftSection={<Radio size={14} aria-hidden />}
          aria-label={texts.toLive}
          onClick={() => void playback.seek(endMs).then(playback.play)}
        >
          {texts.live}
        </Button>
      ) : null}
      <span className={classes['space']} />
      <Button
        size="compact-sm"
        variant={skipsIdle ? 'light' : 'default'}
        aria-pressed={skipsIdle}
        onClick={() => playback.setSkipsIdle(!skipsIdle)}
      >
        {texts.skipIdle}
      </Button>
      <NativeSelect
        size="xs"
        aria-label={texts.speed}
        value={String(speed)}
        data={SPEEDS.map((other) => ({ value: String(other), label: texts.times(other) }))}
        onChange={(event) => playback.setSpeed(Number(event.currentTarget.value))}
      />
      <CopyButton text={addressOf(link, atMs)} what={texts.link} />
      <Popover position="top-end" withinPortal={false} trapFocus={false}>
        <Popover.Target>
          <IconButton size={32} aria-label={texts.keys} className={classes['wide'] ?? ''}>
            <Keyboard size={17} aria-hidden />
          </IconButton>
        </Popover.Target>
        <Popover.Dropdown>
          <dl className={classes['keys']}>
            {texts.keyNames.map(([key, meaning]) => (
              <div key={key}>
                <dt>
                  <kbd>{keyNames(key)}</kbd>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </Popover.Dropdown>
      </Popover>
      <IconButton data-tip={texts.fullScreen} size={32} aria-label={texts.fullScreen} onClick={onFullScreen}>
        <Maximize size={17} aria-hidden />
      </IconButton>
    </div>
  )
}

function addressOf({ uid, seat }: Seat, atMs: number): string {
  return `${location.origin}/sessions/${uid}/play/${seat}?t=${Math.floor(atMs / 1_000)}`
}
