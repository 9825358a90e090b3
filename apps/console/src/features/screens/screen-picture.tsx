// A small picture of a terminal's screen.
import { useEffect, useRef, useState } from 'react'
import { VisuallyHidden } from '../../ui/kit.ts'
import { useIsDark } from '../../ui/use-theme.ts'
import { type Painter, type Sizes, createPainter } from './picture.ts'
import classes from './screen-picture.module.css'

interface ScreenPictureProps {
  readonly sizes: Sizes
  /** Its name for screen readers, which read the text of the screen as well; absent: it is decoration. */
  readonly label?: string
}

export function ScreenPicture({ sizes, label }: ScreenPictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const painter = useRef<Painter>(undefined)
  const [text, setText] = useState('')
  const isDark = useIsDark()
  useEffect(() => {
    if (!canvas.current) return
    const created = createPainter(canvas.current)
    painter.current = created
    return () => created.close()
  }, [])
  useEffect(() => {
    void painter.current?.show(sizes, isDark).then(setText)
  }, [sizes, isDark])
  return (
    <>
      <canvas
        ref={canvas}
        className={classes['canvas']}
        {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      />
      {label === undefined ? null : <VisuallyHidden>{text}</VisuallyHidden>}
    </>
  )
}
