// Extra keys for phones, below the terminal. Control and Alt apply to the next key.
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { useStore } from '../../../core/context.tsx'
import { terminalMessages as texts } from '../messages.ts'
import { type Pane, heldKeys } from './pane.ts'
import classes from '../terminal.module.css'
import edges from '../../../ui/page/edges.module.css'

interface BarKey {
  readonly label: string
  readonly face?: ReactNode
  /** Characters that it types: as they are, or after ESC [ or ESC O, depending on application cursor mode. */
  readonly types: string | { readonly cursor: string } | { readonly csi: string }
}

const { keyNames } = texts
const KEYS: readonly BarKey[] = [
  { label: keyNames.tab, types: '\t' },
  { label: keyNames.up, face: <ArrowUp size={16} aria-hidden />, types: { cursor: 'A' } },
  { label: keyNames.down, face: <ArrowDown size={16} aria-hidden />, types: { cursor: 'B' } },
  { label: keyNames.left, face: <ArrowLeft size={16} aria-hidden />, types: { cursor: 'D' } },
  { label: keyNames.right, face: <ArrowRight size={16} aria-hidden />, types: { cursor: 'C' } },
  ...['|', '/', '~', '-'].map((character) => ({ label: character, types: character })),
  { label: keyNames.home, types: { cursor: 'H' } },
  { label: keyNames.end, types: { cursor: 'F' } },
  { label: keyNames.pageUp, types: { csi: '5~' } },
  { label: keyNames.pageDown, types: { csi: '6~' } },
]

export function KeyBar({ pane }: { readonly pane: Pane }) {
  const { kind } = useStore(pane.state)
  const held = useStore(heldKeys)
  if (kind !== 'running') return null
  const press = ({ types }: BarKey) => {
    if (typeof types === 'string') return pane.type(types)
    const isApplication = pane.screen.terminal.modes.applicationCursorKeysMode
    pane.type('csi' in types ? `\u001B[${types.csi}` : `\u001B${isApplication ? 'O' : '['}${types.cursor}`)
  }
  const hold = (key: 'control' | 'alt') => {
    heldKeys.set({ ...held, [key]: !held[key] })
    pane.screen.terminal.focus()
  }
  return (
    <div role="toolbar" aria-label={texts.keyBar} className={`${classes['keyBar']} ${edges['edges']}`}>
      <Key label={keyNames.escape} onPress={() => pane.type('\u001B')} />
      <Key label={keyNames.control} isHeld={held.control} onPress={() => hold('control')} />
      <Key label={keyNames.alt} isHeld={held.alt} onPress={() => hold('alt')} />
      {KEYS.map((key) => (
        <Key key={key.label} label={key.label} face={key.face} onPress={() => press(key)} />
      ))}
    </div>
  )
}

interface KeyProps {
  readonly label: string
  readonly face?: ReactNode
  readonly isHeld?: boolean
  readonly onPress: () => void
}

function Key({ label, face, isHeld, onPress }: KeyProps) {
  return (
    <button
      type="button"
      className={classes['key']}
      aria-label={label}
      {...(isHeld === undefined ? {} : { 'aria-pressed': isHeld })}
      // Keep the phone's keyboard open.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {face ?? label}
    </button>
  )
}
