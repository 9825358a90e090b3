// Controls that need a permission. Without it they stay reachable, by keyboard too, and say why they are disabled.
import { type ActionIconProps, ActionIcon, Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface GateProps {
  readonly may: boolean
  /** Why the control is disabled. */
  readonly why: string
  readonly onClick: () => void
  readonly children: ReactNode
}

const EVENTS = { hover: true, focus: true, touch: true }

/** The `disabled` attribute would take the control out of the tab order, and its tooltip with it. */
const REFUSED = { 'data-disabled': true, 'aria-disabled': true } as const

export function GatedButton({ may, why, onClick, ...button }: ButtonProps & GateProps & { 'aria-label'?: string }) {
  return (
    <Tooltip label={why} disabled={may} events={EVENTS}>
      <Button {...button} {...(may ? { onClick } : REFUSED)} />
    </Tooltip>
  )
}

/** An icon button. `label`: its accessible name; `hint`: a longer tooltip. */
export function GatedAction({ may, why, onClick, label, hint, ...icon }: ActionIconProps & GateProps & ActionNames) {
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
