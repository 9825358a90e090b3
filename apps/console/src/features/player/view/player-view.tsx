// Screen, controls and panel of a recording whose length is known.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import type { Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useRuntime } from '../../../core/context.tsx'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { MarksPanel } from './marks-panel.tsx'
import { playerMessages as texts } from '../messages.ts'
import { Panel, type Tab } from './panel.tsx'
import { PlayerBar } from './player-bar.tsx'
import classes from '../player.module.css'
import { hitsQuery } from '../queries.ts'
import type { PlaySearch } from '../search.ts'
import { seekToLine } from '../engine/seek-to-line.ts'
import { SearchPanel } from './search-panel.tsx'
import { marksOf } from '../engine/session-marks.ts'
import { TextPanel } from './text-panel.tsx'
import type { Mark } from './timeline.tsx'
import { usePlayerKeys } from './use-keys.ts'
import { usePlaybackState } from './use-playback-state.ts'
import { usePlayer } from './use-player.ts'

interface PlayerViewProps {
  readonly session: Session
  readonly seat: string
  readonly index: RecordingIndex
  readonly search: PlaySearch
}

export function PlayerView({ session, seat, index, search }: PlayerViewProps) {
  const { uid } = session
  const words = search.q ?? ''
  const { api } = useRuntime()
  const navigate = useNavigate()
  /** True until another search: the address has words and no time, so the player opens at their first hit. */
  const [isAtFirstHit, setIsAtFirstHit] = useState(
    words !== '' && search.t === undefined && index.state !== 'recording',
  )
  const startSeconds = isAtFirstHit ? 0 : search.t
  const { container, player } = usePlayer(
    { uid, seat },
    index,
    startSeconds === undefined ? undefined : startSeconds * 1_000,
  )
  const state = usePlaybackState(player?.playback)
  const [tab, setTab] = useState<Tab>('search')
  const [current, setCurrent] = useState<number>()
  const figure = useRef<HTMLElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const hits = useQuery(hitsQuery(api, words, 1, { session: uid }))
  const sessionMarks = useMemo(() => marksOf(session, Number(seat), index), [session, seat, index])
  const marks = useMemo(
    (): Mark[] => [
      ...sessionMarks.map(({ atMs }): Mark => ({ atMs, kind: 'event' })),
      ...(words === '' ? [] : (hits.data?.items ?? [])).map(({ seconds }): Mark => ({
        atMs: seconds * 1_000,
        kind: 'hit',
      })),
    ],
    [sessionMarks, hits.data, words],
  )
  const seek = (ms: number): void => void player?.playback.seek(ms)
  const jumps = useRef(0)
  const jump = (number: number): void => {
    const hit = hits.data?.items[number]
    if (!hit || !player) return
    setCurrent(number)
    if (String(hit.seat) === seat) {
      const mine = (jumps.current += 1)
      void seekToLine(player, hit.seconds * 1_000, hit.snippet, () => mine === jumps.current)
      return
    }
    const params = { uid, seat: String(hit.seat) }
    void navigate({ to: '/sessions/$uid/play/$seat', params, search: { q: words, t: hit.seconds } })
  }
  const fullScreen = (): void => {
    void (document.fullscreenElement ? document.exitFullscreen() : figure.current?.requestFullscreen())
  }
  // Coming from a search hit: seek to its exact line.
  const wanted =
    hits.data?.items.findIndex(
      (hit) => String(hit.seat) === seat && (isAtFirstHit ? words !== '' : hit.seconds === search.t),
    ) ?? -1
  const arrived = useRef(false)
  useEffect(() => {
    const hit = hits.data?.items[wanted]
    if (arrived.current || !player || !hit) return
    arrived.current = true
    void seekToLine(player, hit.seconds * 1_000, hit.snippet, () => jumps.current === 0)
  }, [player, hits.data, wanted])
  usePlayerKeys(player?.playback, {
    touched: () => (jumps.current += 1),
    fullScreen,
    search() {
      // Focus the field before the next keystroke, which would otherwise be a player shortcut.
      flushSync(() => setTab('search'))
      field.current?.focus()
    },
    hit: (direction) => jump(current === undefined ? Math.max(0, wanted) : current + direction),
  })
  const isOver = index.state !== 'recording'
  return (
    <>
      {isOver && !index.indexed ? <Callout tone="note">{texts.preparing}</Callout> : null}
      {player?.isFull() === true ? <Callout tone="note">{texts.tooLong}</Callout> : null}
      {state.error === undefined ? null : (
        <ErrorPanel title={texts.playFailed} error={state.error} onRetry={() => seek(state.atMs)} />
      )}
      <div className={classes['view']}>
        <figure ref={figure} className={classes['figure']} aria-label={texts.screen} aria-busy={state.waiting}>
          <div ref={container} className={classes['screen']} />
          {player ? (
            <PlayerBar
              playback={player.playback}
              state={state}
              index={index}
              marks={marks}
              link={{ uid, seat }}
              onTouch={() => (jumps.current += 1)}
              onFullScreen={fullScreen}
            />
          ) : null}
        </figure>
        <Panel tab={tab} onTab={setTab}>
          {tab === 'search' ? (
            <SearchPanel
              field={field}
              words={words}
              hits={hits}
              current={current ?? (wanted < 0 ? undefined : wanted)}
              indexed={index.indexed}
              onSearch={(q) => {
                setCurrent(undefined)
                setIsAtFirstHit(false)
                void navigate({
                  to: '/sessions/$uid/play/$seat',
                  params: { uid, seat },
                  search: { ...(search.t === undefined ? {} : { t: search.t }), ...(q === '' ? {} : { q }) },
                  replace: true,
                })
              }}
              onJump={jump}
            />
          ) : null}
          {tab === 'events' ? (
            <MarksPanel
              marks={sessionMarks}
              onJump={(ms) => {
                jumps.current += 1
                seek(ms)
              }}
            />
          ) : null}
          {tab === 'text' && player ? <TextPanel screen={player.screen} state={state} /> : null}
        </Panel>
      </div>
    </>
  )
}
