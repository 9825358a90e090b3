// A debounced search field for the list below it. `/` focuses it from anywhere on the page.
import { CloseButton, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react'
import { readSetting } from '../../platform/local-setting.ts'
import { uiMessages } from '../messages.ts'
import classes from './search-field.module.css'

/** Debounce: long enough that a word typed quickly sends one request. */
const TYPING_MS = 200
const MAX_CHARS = 64

/** What a list below the field gets of it, while it has the focus. */
export interface CompletionSlot {
  readonly input: HTMLInputElement
  readonly listId: string
  readonly text: string
  /** Index in the text. */
  readonly caret: number
  /** The list was asked for before it was loaded. */
  readonly isWanted: boolean
  /** Replaces the text. */
  readonly onText: (text: string, caret: number) => void
  /** @param active id of the active option */
  readonly onShown: (isShown: boolean, active: string | undefined) => void
}

interface SearchFieldProps {
  readonly label: string
  /** Default: the label. */
  readonly hint?: string
  /** Renders the list that completes what is typed; the field is a combobox then. */
  readonly renderCompletion?: (slot: CompletionSlot) => ReactNode
  /** The search term that the list shows. */
  readonly words: string
  readonly onSearch: (words: string) => void
  /** True when it should take the focus on mount. */
  readonly takesFocus?: boolean
}

export function SearchField({
  label,
  hint = label,
  renderCompletion,
  words,
  onSearch,
  takesFocus = false,
}: SearchFieldProps) {
  const [text, setText] = useState(words)
  const [shown, setShown] = useState(words)
  const input = useRef<HTMLInputElement>(null)
  // The URL changed by other means (back, another tab of the list): follow it.
  if (words !== shown) {
    setShown(words)
    // A space at the end is the beginning of the next word.
    if (text.trim() !== words) setText(words)
  }
  useEffect(() => {
    if (text.trim() === words) return
    const timer = setTimeout(() => onSearch(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, words, onSearch])
  useEffect(() => {
    if (takesFocus) input.current?.focus()
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react-hooks/exhaustive-deps -- only on mount
  }, [])
  useEffect(() => {
    const jump = (event: KeyboardEvent) => {
      const busy = event.target instanceof HTMLElement && event.target.closest('input, textarea, [role="dialog"]')
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || busy) return
      if (readSetting('bowline.single-keys') === 'off') return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', jump)
    return () => removeEventListener('keydown', jump)
  }, [])
  const listId = useId()
  const [caret, setCaret] = useState(0)
  const [focused, setFocused] = useState<HTMLInputElement>()
  const [isWanted, setWanted] = useState(false)
  const [popup, setPopup] = useState<{ isShown: boolean; active: string | undefined }>()
  const combobox = {
    type: 'text',
    inputMode: 'search',
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': popup?.isShown === true,
    'aria-controls': popup?.isShown ? listId : undefined,
    'aria-activedescendant': popup?.active,
    onFocus: () => setFocused(input.current ?? undefined),
    onBlur() {
      setFocused(undefined)
      setWanted(false)
    },
    onSelect: () => setCaret(input.current?.selectionStart ?? 0),
  } as const
  const field = (
    <TextInput
      ref={input}
      type="search"
      size="xs"
      aria-label={label}
      placeholder={hint}
      value={text}
      maxLength={MAX_CHARS}
      autoComplete="off"
      spellCheck={false}
      leftSection={<Search size={14} aria-hidden />}
      rightSection={
        text === '' ? null : (
          <CloseButton
            size="sm"
            aria-label={uiMessages.clearSearch}
            onClick={() => {
              setText('')
              input.current?.focus()
            }}
          />
        )
      }
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') setWanted(true)
        if (event.key === 'Escape' && text !== '') setText('')
      }}
      {...(renderCompletion ? combobox : {})}
    />
  )
  if (!renderCompletion) return field
  return (
    <div className={classes['field']}>
      {field}
      <Suspense>
        {focused
          ? renderCompletion({
              input: focused,
              listId,
              text,
              isWanted,
              caret: Math.min(caret, text.length),
              onText(next, at) {
                const kept = next.slice(0, MAX_CHARS)
                setText(kept)
                setCaret(at)
                // The browser puts the cursor at the end of a new text.
                requestAnimationFrame(() => focused.setSelectionRange(at, at))
              },
              onShown: (isShown, active) => setPopup({ isShown, active }),
            })
          : null}
      </Suspense>
    </div>
  )
}
