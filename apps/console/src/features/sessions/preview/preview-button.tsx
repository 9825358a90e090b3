// Opens the preview of a session's recording: by a press, or while the mouse rests on it. The keyboard opens it by a press
// only, as everybody whom a preview is sent is named in the audit log.
import type { Session } from '@bowline/contract/schemas/session'
import { AppWindow } from 'lucide-react'
import { type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { pageFile } from '../../../platform/page-files.ts'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { notifyFailure } from '../../../ui/feedback/notify.tsx'
import type { SessionPreview } from './session-preview.tsx'
import { sessionsMessages as texts } from '../messages.ts'
import { nameOf } from '../session-name.ts'
import classes from '../sessions.module.css'

const loadPreview = pageFile(() => import('./session-preview.tsx'))
/** The mouse only passes by when it stays shorter. */
const REST_MS = 350
/** Time for the way from the button to the preview. */
const LEAVE_MS = 250

/** Nothing where there is no recording, or one that is not over. */
export function PreviewButton({ session }: { readonly session: Session }) {
  const button = useRef<HTMLButtonElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [opened, setOpened] = useState<'rest' | 'press'>()
  const [parts, setParts] = useState<{ readonly Preview: typeof SessionPreview }>()
  useEffect(() => () => clearTimeout(timer.current), [])
  const close = useEffectEvent((): void => {
    clearTimeout(timer.current)
    setOpened(undefined)
    if (opened === 'press') button.current?.focus()
  })
  const isOpened = opened !== undefined
  useEffect(() => {
    if (!isOpened) return
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close()
    }
    const onPress = ({ target }: Event): void => {
      if (target instanceof Element && !target.closest('[data-preview]')) setOpened(undefined)
    }
    // While the mouse rests on the button, the focus is elsewhere.
    addEventListener('keydown', onKey)
    addEventListener('pointerdown', onPress)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('pointerdown', onPress)
    }
  }, [isOpened])
  if (!session.recorded || session.active) return null

  const open = async (by: 'rest' | 'press'): Promise<void> => {
    try {
      const { SessionPreview: Preview } = loadPreview.loaded() ?? (await loadPreview())
      setParts({ Preview })
      setOpened((before) => (before === 'press' ? before : by))
    } catch (error) {
      notifyFailure({ title: texts.previewFailed, error })
    }
  }
  const rest = (isOver: boolean): void => {
    clearTimeout(timer.current)
    if (isOver && !opened) timer.current = setTimeout(() => void open('rest'), REST_MS)
    if (!isOver && opened !== 'press') timer.current = setTimeout(() => setOpened(undefined), LEAVE_MS)
  }
  const onMouse = (isOver: boolean) => (event: PointerEvent) => {
    if (event.pointerType === 'mouse') rest(isOver)
  }
  return (
    <span className={classes['preview']} data-preview>
      <IconButton
        ref={button}
        size={24}
        aria-label={texts.previewOf(nameOf(session))}
        aria-haspopup="dialog"
        aria-expanded={opened !== undefined}
        onPointerEnter={onMouse(true)}
        onPointerLeave={onMouse(false)}
        onClick={() => {
          clearTimeout(timer.current)
          if (opened === 'press') setOpened(undefined)
          else void open('press')
        }}
      >
        <AppWindow size={15} aria-hidden />
      </IconButton>
      {parts && opened ? <parts.Preview session={session} pressed={opened === 'press'} onPointer={rest} /> : null}
    </span>
  )
}
