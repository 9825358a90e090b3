// One action of the shortcut sheet: its keys are a button that waits for other ones.
import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type KeyedAction, chooseKeys, chosenKeys, conflictOf, keysOf } from '../core/chosen-keys.ts'
import { useStore } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'
import { PAUSE_MS } from '../core/shortcuts.ts'
import { announce } from '../ui/feedback/announce.tsx'
import { Kbd, Text, UnstyledButton } from '../ui/kit.ts'
import { keyName } from '../ui/text/key-name.ts'
import classes from './shortcut-sheet.module.css'

interface KeyChoiceProps {
  readonly action: KeyedAction
  readonly actions: readonly KeyedAction[]
}

export function KeyChoice({ action, actions }: KeyChoiceProps) {
  const chosen = useStore(chosenKeys)
  const [typed, setTyped] = useState<readonly string[]>()
  const [error, setError] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const keys = keysOf(action, chosen)
  // Ctrl+K also works inside terminals, which leave it alone.
  const isFixed = keys.some((key) => key.startsWith('mod+'))
  /** Keys on the row of a device are single. */
  const most = action.usual.length

  const finish = (wanted: readonly string[] | undefined): void => {
    clearTimeout(timer.current)
    setTyped(undefined)
    const next = wanted ?? action.usual
    const conflict = conflictOf(action, next, actions, chosen)
    if (conflict) {
      setError(conflict === 'reserved' ? texts.keysReserved(keyName(next[0] ?? '')) : texts.keysTaken(conflict.label))
      return
    }
    chooseKeys(action.id, wanted)
    announce(texts.keysChanged(action.label, next.map(keyName).join(' ')))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!typed || event.key === 'Tab' || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') setTyped(undefined)
    else if (event.key === 'Backspace') finish(undefined)
    if (event.key.length > 1) return
    clearTimeout(timer.current)
    const next = [...typed, event.key]
    if (next.length >= most) return finish(next)
    setTyped(next)
    timer.current = setTimeout(() => finish(next), PAUSE_MS)
  }
  const begin = (): void => {
    setError(undefined)
    setTyped([])
  }
  return (
    <>
      <Text size="sm">
        {action.label}
        {error === undefined ? null : (
          <Text component="span" size="xs" c="red" display="block" role="alert">
            {error}
          </Text>
        )}
        {typed ? (
          <Text component="span" size="xs" c="dimmed" display="block">
            {texts.pressKeysHint}
          </Text>
        ) : null}
      </Text>
      {isFixed ? (
        <Keys keys={keys} />
      ) : (
        <UnstyledButton
          className={classes['change']}
          aria-label={typed ? texts.pressKeys : texts.changeKeys(action.label, keys.map(keyName).join(' '))}
          data-waiting={typed !== undefined || undefined}
          // The dialog closes by Escape otherwise.
          data-mantine-stop-propagation={typed !== undefined}
          onClick={begin}
          onKeyDown={onKeyDown}
          onBlur={() => setTyped(undefined)}
        >
          {typed ? <Text size="xs">{typed[0] ?? texts.pressKeys}</Text> : <Keys keys={keys} />}
        </UnstyledButton>
      )}
    </>
  )
}

function Keys({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className={classes['keys']}>
      {keys.map((key, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a key may come twice
        <Fragment key={at}>
          {/* Part of the accessible name, which has the keys apart. */}
          {at === 0 ? null : ' '}
          <Kbd>{keyName(key)}</Kbd>
        </Fragment>
      ))}
    </span>
  )
}
