// The popover of the bell.
import type { RefObject } from 'react'
import { Anchor } from '../../../ui/controls/anchor.tsx'
import { useOpens } from '../../../ui/feedback/use-opens.ts'
import { Popover } from '../../../ui/kit.ts'
import { devicesMessages as texts } from '../messages.ts'
import { BellContents } from './bell-contents.tsx'

interface BellPopoverProps {
  readonly button: RefObject<HTMLElement | null>
  readonly opened: boolean
  readonly onChange: (opened: boolean) => void
}

export function BellPopover({ button, opened, onChange }: BellPopoverProps) {
  // It takes the focus when it opens after it was mounted.
  const isOpen = useOpens(opened)
  return (
    <Popover
      opened={isOpen}
      onChange={onChange}
      position="bottom-start"
      width="min(25rem, calc(100vw - 1.25rem))"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Anchor button={button} />
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={texts.bellLabel}>
        <BellContents onLeave={() => onChange(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
