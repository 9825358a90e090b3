// The field of the palette and its list (WAI-ARIA combobox with a listbox).
// oxlint-disable jsx-a11y/prefer-tag-over-role -- a select holds no icons and headings, and the focus stays in the field
import type { Device } from '@bowline/contract/schemas/device'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { announce } from '../../ui/feedback/announce.tsx'
import { Text } from '../../ui/kit.ts'
import type { PaletteControls, Question } from './controls.ts'
import type { PaletteItem } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { Option } from './option.tsx'
import { useSettled } from './settle.ts'
import { useDeviceItems } from './use-device-items.ts'
import { usePaletteItems } from './use-palette-items.ts'
import { type Step, useStepItems } from './use-step-items.ts'
import classes from './palette.module.css'

/** Characters. */
const WORDS_MAX = 64

export interface BodyProps {
  /** Returns what was typed before the field mounted; later keys go to the field itself. */
  readonly takeTyped: () => string
  readonly onClose: () => void
  /** Opens the list of keyboard shortcuts. */
  readonly onShortcuts: () => void
  readonly onAsk: (question: Question) => void
}

export function PaletteBody({ takeTyped, onClose, onShortcuts, onAsk }: BodyProps) {
  const [text, setText] = useState('')
  const [device, setDevice] = useState<Device>()
  const [step, setStep] = useState<Step>()
  /** Text of the field among the actions on a device and in a step. The words that found the device are kept for the way back. */
  const [value, setValue] = useState('')
  const [active, setActive] = useState(0)
  /** The active one was chosen by a key. */
  const [isMoved, setMoved] = useState(false)
  const [allPages, setAllPages] = useState(false)
  const words = text.trim()
  const move = (index: number, moved: boolean) => {
    setActive(index)
    setMoved(moved)
  }
  const onStep = (chosen: Device, next: Step) => {
    setDevice(chosen)
    setStep(next)
    setValue(next === 'rename' ? chosen.name : '')
    move(0, false)
  }
  const controls: PaletteControls = {
    onMore(chosen) {
      setDevice(chosen)
      setValue('')
      move(0, false)
    },
    onStep,
    onAsk,
    onShortcuts,
    onWords(typed) {
      setText(typed)
      move(0, false)
    },
    onPages: () => setAllPages(true),
  }
  const content = usePaletteItems(words, allPages, controls)
  const ofDevice = useDeviceItems(device, value, controls)
  const ofStep = useStepItems(device, step, value)
  const settled = useSettled(content.items, words, active, (item) => isMoved || content.isCertain(item))
  const items = device ? (step ? ofStep.items : ofDevice) : settled
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const shown = device ? value : text
  const at = Math.min(active, items.length - 1)
  const idOf = (index: number) => `${listId}-${index}`
  const { searching } = content

  // Focus the field as soon as it mounts (the kit does it later), and restore the previous focus afterwards.
  useLayoutEffect(() => {
    const before = document.activeElement
    field.current?.focus()
    const typed = takeTyped()
    // oxlint-disable-next-line react/set-state-in-effect -- the browser keeps the text typed before the focus
    if (typed !== '') setText(typed.slice(0, WORDS_MAX))
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [takeTyped])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  })
  // The old name is replaced by what is typed, or corrected.
  useEffect(() => {
    if (step === 'rename') field.current?.select()
  }, [step])
  useEffect(() => {
    if (step && ofStep.problem !== undefined) announce(ofStep.problem)
  }, [step, ofStep.problem])
  useEffect(() => {
    if (shown.trim() !== '' && (device || !searching)) announce(texts.count(items.length))
  }, [shown, device, searching, items.length])

  const back = () => {
    if (step) setStep(undefined)
    else setDevice(undefined)
    setValue('')
    move(0, false)
  }
  const type = (typed: string) => {
    move(0, false)
    if (device) setValue(typed)
    else setText(typed)
  }
  const run = (item: PaletteItem | undefined, withShift: boolean) => {
    if (!item) return
    const opens = withShift && item.open
    if (!item.stays || opens) onClose()
    if (opens) opens()
    else item.run()
  }
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const current = items[at]
    const { selectionStart, selectionEnd } = event.currentTarget
    const isAtEnd = selectionStart === shown.length
    const leavesLeft = event.key === 'ArrowLeft' && selectionStart === 0 && selectionEnd === 0
    if (event.key === 'ArrowDown') move((at + 1) % Math.max(1, items.length), true)
    else if (event.key === 'ArrowUp') move((at - 1 + items.length) % Math.max(1, items.length), true)
    else if (event.key === 'Enter') run(current, event.shiftKey)
    else if (event.key === 'ArrowRight' && isAtEnd && current?.more && !step) current.more()
    else if (device && (leavesLeft || event.key === 'Escape')) back()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const label = device && (step ? texts.stepLabels[step] : texts.actionsOn)(device.name)
  const foot = step ? texts.hintStep : device ? texts.hintDevice : (content.hint ?? texts.hint)
  return (
    <>
      <input
        ref={field}
        className={classes['input']}
        role="combobox"
        aria-label={label ?? texts.label}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={items.length ? idOf(at) : undefined}
        aria-autocomplete="list"
        placeholder={label ?? texts.placeholder}
        value={shown}
        maxLength={WORDS_MAX}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        // The kit closes its dialogs by Escape before the field hears of it; here the key may lead back instead.
        data-mantine-stop-propagation={device ? 'true' : undefined}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {content.failed && !device ? (
        <Text size="xs" px="md" pt="xs" c="dimmed">
          {texts.searchFailed}
        </Text>
      ) : null}
      <div ref={list} id={listId} role="listbox" aria-label={texts.results} className={classes['list']}>
        {items.map((item, index) => (
          <Option
            key={`${item.group} ${item.id}`}
            item={item}
            id={idOf(index)}
            isActive={index === at}
            heading={items[index - 1]?.group === item.group ? undefined : item.group}
            onRun={(withShift) => run(item, withShift)}
          />
        ))}
      </div>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          {device
            ? (ofStep.problem ?? texts.none(value.trim()))
            : searching
              ? texts.searching
              : (content.hint ?? texts.none(words))}
        </Text>
      ) : null}
      <div className={classes['foot']}>{foot}</div>
    </>
  )
}
