// Controls that need a permission. Without it they stay reachable, by keyboard too, and say why they are disabled.
import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconButton } from '../controls/icon-button.tsx'

interface GateProps {
  readonly may: boolean
  /** Why the control is disabled. */
  readonly why: string
  readonly onClick: () => void
  readonly children: ReactNode
}

/** The `disabled` attribute would take the control out of the tab order, and its tip with it. */
const REFUSED = { 'data-disabled': true, 'aria-disabled': true } as const

export function GatedButton({ may, why, onClick, ...button }: ButtonProps & GateProps & { 'aria-label'?: string }) {
  return <Button {...button} data-tip={may ? undefined : why} {...(may ? { onClick } : REFUSED)} />
}

interface GatedActionProps extends GateProps {
  /** Its accessible name. */
  readonly label: string
  /** What it does, as its tip. */
  readonly hint: string
  readonly disabled?: boolean
}

/** An icon button. */
export function GatedAction({ may, why, onClick, label, hint, disabled, children }: GatedActionProps) {
  return (
    <IconButton
      aria-label={label}
      aria-disabled={may ? undefined : true}
      disabled={disabled}
      data-tip={may ? hint : why}
      onClick={may ? onClick : undefined}
    >
      {children}
    </IconButton>
  )
}
