// Renders the split layout of a tab; dividers move by pointer and by arrow keys.
/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions --
   a separator that moves is a control (WAI-ARIA, window splitter) */
import type { CSSProperties, KeyboardEvent, PointerEvent } from 'react'
import type { Layout, SplitLayout } from '../layout/layout.ts'
import { terminalMessages as texts } from '../messages.ts'
import { PaneView } from './pane-view.tsx'
import type { Workspace } from '../workspace.ts'
import classes from '../terminal.module.css'

interface PaneTreeProps {
  readonly layout: Layout
  readonly focused: string
  readonly workspace: Workspace
}

const STEP = 0.05

export function PaneTree({ layout, focused, workspace }: PaneTreeProps) {
  if (layout.kind === 'split') return <Split layout={layout} focused={focused} workspace={workspace} />
  const pane = workspace.pane(layout.id)
  return pane ? <PaneView key={pane.id} pane={pane} isFocused={focused === pane.id} workspace={workspace} /> : null
}

function Split({ layout, focused, workspace }: PaneTreeProps & { readonly layout: SplitLayout }) {
  const { id, direction, share, first, second } = layout
  const half = (of: number): CSSProperties => ({ flex: `${of} ${of} 0` })
  return (
    <div className={classes['split']} data-direction={direction}>
      <div className={classes['half']} style={half(share)}>
        <PaneTree layout={first} focused={focused} workspace={workspace} />
      </div>
      <Divider direction={direction} share={share} onShare={(to) => workspace.resize(id, to)} />
      <div className={classes['half']} style={half(1 - share)}>
        <PaneTree layout={second} focused={focused} workspace={workspace} />
      </div>
    </div>
  )
}

interface DividerProps {
  readonly direction: SplitLayout['direction']
  readonly share: number
  readonly onShare: (share: number) => void
}

function Divider({ direction, share, onShare }: DividerProps) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.parentElement?.getBoundingClientRect()
    if (!box || !event.currentTarget.hasPointerCapture(event.pointerId)) return
    onShare(direction === 'row' ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height)
  }
  const step = (event: KeyboardEvent) => {
    const back = direction === 'row' ? 'ArrowLeft' : 'ArrowUp'
    const on = direction === 'row' ? 'ArrowRight' : 'ArrowDown'
    if (event.key !== back && event.key !== on) return
    event.preventDefault()
    onShare(share + (event.key === on ? STEP : -STEP))
  }
  return (
    <hr
      tabIndex={0}
      aria-label={texts.divider}
      aria-orientation={direction === 'row' ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={10}
      aria-valuemax={90}
      className={classes['divider']}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={step}
    />
  )
}
