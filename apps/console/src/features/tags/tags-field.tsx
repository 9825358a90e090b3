// Tag input: removable tags, and a field that adds one, with suggestions.
import { LIMITS } from '@bowline/contract/limits'
import { Tag } from '@bowline/contract/schemas/tag'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { serverText } from '../../platform/language/server-text.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { Autocomplete } from '../../ui/kit.ts'
import { tagsMessages as texts } from './messages.ts'
import { tagsQuery } from './queries.ts'
import classes from './tags.module.css'

interface TagsFieldProps {
  readonly tags: readonly string[]
  readonly onChange: (tags: string[]) => void
  /** Validation error from the surrounding form. */
  readonly error?: string | null
  /** Takes the focus when the surrounding dialog opens. */
  readonly focusFirst?: boolean
}

export function TagsField({ tags, onChange, error, focusFirst = false }: TagsFieldProps) {
  const { api } = useRuntime()
  const { data: known = [] } = useQuery(tagsQuery(api))
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [suggests, setSuggests] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  /** A suggestion that was taken: the field is given its text afterwards. */
  const taken = useRef<string>(undefined)

  const add = (typed = text): boolean => {
    const tag = typed.trim()
    // It would cover the button below.
    setSuggests(false)
    if (tag === '' || tags.includes(tag)) {
      setText('')
      return tag !== ''
    }
    const parsed = Tag.safeParse(tag)
    if (!parsed.success) setProblem(texts.invalid(serverText(parsed.error.issues[0]?.message ?? '')))
    else if (tags.length >= LIMITS.tagsPerItem) setProblem(texts.tooMany)
    else {
      onChange([...tags, parsed.data])
      setText('')
      setProblem(undefined)
      announce(texts.add(parsed.data))
    }
    return true
  }
  return (
    <div>
      <Autocomplete
        ref={input}
        data={known.filter((tag) => !tags.includes(tag))}
        openOnFocus={false}
        dropdownOpened={suggests}
        onDropdownOpen={() => setSuggests(true)}
        onDropdownClose={() => setSuggests(false)}
        label={texts.field}
        description={texts.fieldHint}
        value={text}
        error={problem ?? error}
        data-autofocus={focusFirst || undefined}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={LIMITS.tag.max}
        onChange={(next) => {
          const isTaken = next === taken.current
          taken.current = undefined
          if (isTaken) return
          setText(next)
          setProblem(undefined)
        }}
        onOptionSubmit={(tag) => {
          taken.current = tag
          add(tag)
        }}
        onBlur={() => text.trim() !== '' && add()}
        onKeyDown={(event) => {
          if (event.key === 'Backspace' && text === '') onChange(tags.slice(0, -1))
          // The suggestion that the arrow keys have reached.
          const chosen = document.getElementById(event.currentTarget.getAttribute('aria-activedescendant') ?? '')
          if (event.key === 'Enter' && chosen?.hasAttribute('data-combobox-selected')) return
          // With an empty field Enter submits the form.
          if ((event.key === 'Enter' || event.key === ',') && (add() || event.key === ',')) event.preventDefault()
        }}
      />
      {tags.length ? (
        <ul className={classes['chips']}>
          {tags.map((tag) => (
            <li key={tag} className={classes['chip']}>
              {tag}
              <IconButton
                size={24}
                aria-label={texts.takeOff(tag)}
                onClick={() => {
                  onChange(tags.filter((each) => each !== tag))
                  input.current?.focus()
                }}
              >
                <X size={13} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
