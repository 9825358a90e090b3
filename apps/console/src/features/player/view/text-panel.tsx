// The screen as text, for screen readers, selection and copying.
import { useEffect, useState } from 'react'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import { Group, Text } from '../../../ui/kit.ts'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'
import type { PlaybackState } from '../engine/playback.ts'
import type { Screen } from '../engine/screen.ts'
import { formatClock } from '../../../ui/text/clock.ts'

interface TextPanelProps {
  readonly screen: Screen
  readonly state: PlaybackState
}

export function TextPanel({ screen, state: { atMs, waiting } }: TextPanelProps) {
  const moment = `${atMs} ${waiting}`
  const [{ text }, setShown] = useState({ moment: '', text: '' })
  useEffect(() => {
    let current = true
    void screen.settled().then(() => current && setShown({ moment, text: screen.text() }))
    return () => {
      current = false
    }
  }, [screen, moment])
  return (
    <>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {texts.textOf(formatClock(atMs))}
        </Text>
        <CopyButton text={text} what={texts.tabs.text} />
      </Group>
      {text === '' ? (
        <Text c="dimmed">{texts.noText}</Text>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so keys must be able to reach it
        <pre className={classes['text']} role="log" aria-live="off" aria-label={texts.screen} tabIndex={0}>
          {text}
        </pre>
      )}
    </>
  )
}
