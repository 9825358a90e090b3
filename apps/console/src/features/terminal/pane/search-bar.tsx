// Searches the output of a terminal.
import { CaseSensitive, ChevronDown, ChevronUp, Regex, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { TextInput } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { terminalMessages as texts } from '../messages.ts'
import { searchColours } from '../screen/search-colours.ts'
import { type ViewKeeper, keepView } from '../screen/view-keeper.ts'
import type { Pane } from './pane.ts'
import classes from '../terminal.module.css'
import { createStore } from '../../../platform/store.ts'

/** Search options, shared by all terminals. */
const how = createStore({ regex: false, caseSensitive: false })

export function SearchBar({ pane, onClose }: { readonly pane: Pane; readonly onClose: () => void }) {
  const { screen } = pane
  const { search, terminal } = screen
  const options = useStore(how)
  const [words, setWords] = useState('')
  const coloured = useRef<object>(undefined)
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 })
  const view = useRef<ViewKeeper>(undefined)
  useEffect(() => {
    view.current = keepView(terminal)
    const listening = search.onDidChangeResults(setFound)
    screen.setSearching(true)
    return () => {
      listening.dispose()
      search.clearDecorations()
      screen.setSearching(false)
    }
  }, [search, screen, terminal])
  /** Most is looked for in what came last: from there upwards. */
  const find = (forwards: boolean, text = words, isTyping = false) => {
    const colours = searchColours(terminal.options.theme?.background)
    // The add-on keeps the matches of the same words, with their colours.
    if (coloured.current !== colours) search.clearDecorations()
    coloured.current = colours
    const asked = { ...options, incremental: isTyping, decorations: colours }
    if (forwards) search.findNext(text, asked)
    else search.findPrevious(text, asked)
    if (isTyping) view.current?.moved()
    else view.current?.stay()
  }
  const close = () => {
    view.current?.restore()
    onClose()
    terminal.focus()
  }
  const count =
    words === ''
      ? ''
      : found.resultCount === 0
        ? texts.search.none
        : found.resultIndex < 0
          ? texts.search.many
          : texts.search.count(found.resultIndex + 1, found.resultCount)
  return (
    <search className={classes['search']}>
      <TextInput
        size="xs"
        aria-label={texts.search.label}
        value={words}
        ref={(input) => {
          if (input && words === '') input.focus()
        }}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          setWords(event.currentTarget.value)
          find(false, event.currentTarget.value, true)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(event.shiftKey)
          if (event.key === 'Escape') close()
        }}
      />
      <output className={classes['count']}>{count === '' ? formatCount(0) : count}</output>
      <IconButton
        aria-label={texts.search.caseSensitive}
        aria-pressed={options.caseSensitive}
        look={options.caseSensitive ? 'light' : undefined}
        onClick={() => how.set({ ...options, caseSensitive: !options.caseSensitive })}
      >
        <CaseSensitive size={16} aria-hidden />
      </IconButton>
      <IconButton
        aria-label={texts.search.regex}
        aria-pressed={options.regex}
        look={options.regex ? 'light' : undefined}
        onClick={() => how.set({ ...options, regex: !options.regex })}
      >
        <Regex size={15} aria-hidden />
      </IconButton>
      <IconButton aria-label={texts.search.previous} onClick={() => find(false)}>
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton aria-label={texts.search.next} onClick={() => find(true)}>
        <ChevronDown size={16} aria-hidden />
      </IconButton>
      <IconButton aria-label={texts.search.close} onClick={close}>
        <X size={15} aria-hidden />
      </IconButton>
    </search>
  )
}
