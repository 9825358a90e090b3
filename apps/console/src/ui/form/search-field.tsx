// A debounced search field for the list below it. `/` focuses it from anywhere on the page.
import { CloseButton, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { readSetting } from '../../platform/local-setting.ts'
import { uiMessages } from '../messages.ts'

/** Debounce: long enough that a word typed quickly sends one request. */
const TYPING_MS = 200
const MAX_CHARS = 64

interface SearchFieldProps {
  readonly label: string
  /** The search term that the list shows. */
  readonly words: string
  readonly onSearch: (words: string) => void
}

export function SearchField({ label, words, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(words)
  const [shown, setShown] = useState(words)
  const input = useRef<HTMLInputElement>(null)
  // The URL changed by other means (back, another tab of the list): follow it.
  if (words !== shown) {
    setShown(words)
    setText(words)
  }
  useEffect(() => {
    if (text.trim() === words) return
    const timer = setTimeout(() => onSearch(text.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, words, onSearch])
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
  return (
    <TextInput
      ref={input}
      type="search"
      size="xs"
      aria-label={label}
      placeholder={label}
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
        if (event.key === 'Escape' && text !== '') setText('')
      }}
    />
  )
}
