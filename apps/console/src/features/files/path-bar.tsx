// The path of the folder: links to the folders above it, or a field to type another one.
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowUp, Pencil, RotateCw } from 'lucide-react'
import { Fragment, useState } from 'react'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Button, TextInput } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { filesMessages } from './messages.ts'
import { ROOT, joined, parentOf, stepsTo } from './sftp/paths.ts'
import classes from './files.module.css'

const texts = filesMessages.path

interface PathBarProps {
  readonly uid: string
  /** Canonical. */
  readonly path: string
  readonly onReload: () => void
}

export function PathBar({ uid, path, onReload }: PathBarProps) {
  const navigate = useNavigate()
  const [isEditing, setEditing] = useState(false)
  const go = (to: string) =>
    void navigate({ to: '/devices/$uid/files', params: { uid }, search: ({ back }) => ({ path: to, back }) })
  if (isEditing) {
    return (
      <PathField
        path={path}
        onClose={() => setEditing(false)}
        onGo={(typed) => {
          setEditing(false)
          go(joined(path, typed))
        }}
      />
    )
  }
  return (
    <div className={classes['bar']}>
      <BarAction label={texts.up} icon={ArrowUp} disabled={path === ROOT} onClick={() => go(parentOf(path))} />
      <nav aria-label={texts.way} className={classes['way']}>
        {stepsTo(path).map((step, index) => (
          <Fragment key={step.path}>
            {index > 1 ? <span aria-hidden>/</span> : null}
            <Link
              to="/devices/$uid/files"
              params={{ uid }}
              search={({ back }) => ({ path: step.path, back })}
              {...(step.path === path ? { 'aria-current': 'page' } : {})}
            >
              {step.name}
            </Link>
          </Fragment>
        ))}
      </nav>
      <BarAction label={texts.edit} icon={Pencil} onClick={() => setEditing(true)} />
      <BarAction label={texts.reload} icon={RotateCw} onClick={onReload} />
    </div>
  )
}

interface BarActionProps {
  readonly label: string
  readonly icon: typeof ArrowUp
  readonly disabled?: boolean
  readonly onClick: () => void
}

function BarAction({ label, icon: Icon, disabled = false, onClick }: BarActionProps) {
  return (
    <IconButton data-tip={label} aria-label={label} disabled={disabled} onClick={onClick}>
      <Icon size={15} aria-hidden />
    </IconButton>
  )
}

interface PathFieldProps {
  readonly path: string
  readonly onGo: (path: string) => void
  readonly onClose: () => void
}

function PathField({ path, onGo, onClose }: PathFieldProps) {
  const [text, setText] = useState(path)
  return (
    <form
      className={classes['bar']}
      onSubmit={(event) => {
        event.preventDefault()
        if (text !== '') onGo(text)
      }}
    >
      <TextInput
        className={classes['pathField'] ?? ''}
        size="xs"
        aria-label={texts.label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has asked for the field
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
        }}
      />
      <Button type="submit" size="compact-sm">
        {texts.go}
      </Button>
      <Button variant="default" size="compact-sm" onClick={onClose}>
        {uiMessages.cancel}
      </Button>
    </form>
  )
}
