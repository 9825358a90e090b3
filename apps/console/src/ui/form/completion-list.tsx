// oxlint-disable jsx-a11y/prefer-tag-over-role -- a select has no field of its own to type in, and the focus stays there
// What can complete the text of a search field: a listbox below it (WAI-ARIA combobox). Loaded when it is needed.
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { CompletionSlot } from './search-field.tsx'
import classes from './search-field.module.css'

interface Offered {
  /** What it makes of the word. */
  readonly text: string
  readonly note: string
}

interface CompletionListProps<T extends Offered> extends CompletionSlot {
  readonly label: string
  readonly options: readonly T[]
  /** They continue what is typed: the list opens by itself, and Tab takes the first one. */
  readonly continues: boolean
  readonly onTake: (option: T) => void
}

/** Opens when something is typed or by the down arrow; Tab or Enter takes an option, Escape closes the list. */
export function CompletionList<T extends Offered>(props: CompletionListProps<T>) {
  const { label, options, continues, input, isWanted, listId, text, onTake, onShown } = props
  const [active, setActive] = useState<number>()
  /** The text for which it was opened or closed by a key. */
  const [asked, setAsked] = useState<{ readonly text: string; readonly open: boolean } | undefined>(
    isWanted ? { text, open: true } : undefined,
  )
  const [shownText, setShownText] = useState(text)
  if (text !== shownText) {
    setShownText(text)
    setActive(undefined)
  }
  const isOpen = options.length > 0 && (asked?.text === text ? asked.open : continues)
  const at = isOpen && active !== undefined && active < options.length ? active : undefined
  const list = useRef<HTMLDivElement>(null)
  const idOf = (index: number) => `${listId}-${index}`
  const shown = useEffectEvent(onShown)
  useEffect(() => shown(isOpen, at === undefined ? undefined : `${listId}-${at}`), [isOpen, at, listId])
  useEffect(() => () => shown(false, undefined), [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      const from = at ?? (step > 0 ? -1 : 0)
      setAsked({ text, open: true })
      setActive((from + step + options.length) % options.length)
    } else if (event.key === 'Escape' && isOpen) setAsked({ text, open: false })
    else if ((event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) && isOpen) {
      const option = options[at ?? (event.key === 'Tab' && continues ? 0 : -1)]
      if (!option) return
      onTake(option)
    } else return
    event.preventDefault()
    event.stopPropagation()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    input.addEventListener('keydown', listen)
    return () => input.removeEventListener('keydown', listen)
  }, [input])
  if (!isOpen) return null
  return (
    <div ref={list} id={listId} role="listbox" aria-label={label} className={classes['list']}>
      {options.map((option, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field handles the keys: the focus never leaves it
        <div
          key={option.text}
          id={idOf(index)}
          role="option"
          aria-selected={index === at}
          tabIndex={-1}
          className={classes['option']}
          // Keep the focus in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(option)}
        >
          <code className={classes['text']}>{option.text}</code>
          <span className={classes['note']}>{option.note}</span>
        </div>
      ))}
    </div>
  )
}
