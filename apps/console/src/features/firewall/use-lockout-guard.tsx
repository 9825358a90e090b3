// Asks before a change of the firewall that cuts off whoever makes it.
import { firewall } from '@bowline/contract/operations/firewall'
import type { DryRun, DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import { type ReactNode, useRef, useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { cutOffText } from './dry-run.tsx'
import { firewallMessages } from './messages.ts'

const texts = firewallMessages.dryRun

export interface LockoutGuard {
  /** @returns false when the person has thought better of it */
  readonly ask: (change: DryRunBody) => Promise<boolean>
  readonly dialog: ReactNode
}

export function useLockoutGuard(): LockoutGuard {
  const { api } = useRuntime()
  const [result, setResult] = useState<DryRun>()
  const [opened, setOpened] = useState(false)
  const answer = useRef<(go: boolean) => void>(undefined)

  async function ask(change: DryRunBody): Promise<boolean> {
    const tried = await api.call(firewall.tryChange, { body: change }).catch(() => undefined)
    // A dry run that fails keeps nobody from a change: the server decides about that by itself.
    if (!tried || (tried.body.caller.cut_off === 0 && tried.body.caller.lost === 0)) return true
    setResult(tried.body)
    setOpened(true)
    return new Promise((resolve) => (answer.current = resolve))
  }
  const dialog = (
    <Confirm
      opened={opened}
      title={texts.lockoutTitle}
      action={texts.lockoutAction}
      onClose={() => {
        setOpened(false)
        // The confirmation closes first, and then confirms.
        queueMicrotask(() => answer.current?.(false))
      }}
      onConfirm={() => answer.current?.(true)}
    >
      {result ? cutOffText(result) : null}
    </Confirm>
  )
  return { ask, dialog }
}
