// Takes files that are dropped anywhere on the folder.
import { type DragEvent, type ReactNode, useState } from 'react'
import { notifyFailure } from '../../ui/feedback/notify.tsx'
import { filesMessages } from './messages.ts'
import { openFilesMessages } from './open-messages.ts'
import classes from './files.module.css'

const texts = filesMessages.upload

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: ReactNode
}

export function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    setOver(false)
    const items = [...event.dataTransfer.items].filter(({ kind }) => kind === 'file')
    const files = items.flatMap((item) => (item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? [])))
    if (files.length < items.length) notifyFailure({ title: texts.folders, error: new Error('') })
    if (files.length > 0) onFiles(files)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a button chooses files too
    <section
      aria-label={openFilesMessages.title}
      className={classes['drop']}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={drop}
    >
      {children}
      {isOver ? <p className={classes['dropHint']}>{texts.drop}</p> : null}
    </section>
  )
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')
