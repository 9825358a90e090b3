// Controls that not every role may use. Who may not can still reach them, with the keyboard too, and is told why.
import { type ActionIconProps, ActionIcon, Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface Gate {
  readonly may: boolean
  /** Why not. */
  readonly why: string
  readonly onClick: () => void
  readonly children: ReactNode
}

const EVENTS = { hover: true, focus: true, touch: true }

/** `disabled` would take a control out of the order of the keyboard, and its remark with it. */
const REFUSED = { 'data-disabled': true, 'aria-disabled': true } as const

export function GatedButton({ may, why, onClick, ...button }: ButtonProps & Gate & { 'aria-label'?: string }) {
  return (
    <Tooltip label={why} disabled={may} events={EVENTS}>
      <Button {...button} {...(may ? { onClick } : REFUSED)} />
    </Tooltip>
  )
}

/** A button that is a picture. `label` is told of it; `hint`: what it does, beside it. */
export function GatedAction({ may, why, onClick, label, hint, ...icon }: ActionIconProps & Gate & ActionNames) {
  return (
    <Tooltip label={may ? hint : why} events={EVENTS}>
      <ActionIcon {...icon} aria-label={label} {...(may ? { onClick } : REFUSED)} />
    </Tooltip>
  )
}

interface ActionNames {
  readonly label: string
  readonly hint: string
}
