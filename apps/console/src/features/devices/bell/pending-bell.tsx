// The notification bell: pending devices, to accept or reject from any page, and ended sessions. Its popover and contents
// load when it first opens.
import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useRef, useState } from 'react'
import { usePerson, useRuntime } from '../../../core/context.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { statsQuery } from '../../../core/devices/queries.ts'
import classes from './pending-bell.module.css'
import { useDialogFile } from '../../../core/use-dialog-file.ts'
import { pageFile } from '../../../platform/page-files.ts'

const loadPopover = pageFile(() => import('./bell-popover.tsx'))

export function PendingBell() {
  const { api } = useRuntime()
  const isMember = usePerson()?.tenant !== ''
  const { data: stats } = useQuery({ ...statsQuery(api), enabled: isMember })
  const button = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  const popover = useDialogFile(loadPopover, opened, () => setOpened(false))
  const requests = stats?.accessRequests ?? 0
  const pending = stats?.devices.pending ?? 0
  const waiting = texts.bell(pending)
  return (
    <>
      <IconButton
        ref={button}
        size={32}
        aria-label={requests === 0 ? waiting : texts.bellWithRequests(waiting, requests)}
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
        className={classes['bell'] ?? ''}
        data-waiting={pending + requests > 0 || undefined}
      >
        <Bell size={17} aria-hidden />
      </IconButton>
      {popover ? <popover.BellPopover button={button} opened={opened} onChange={setOpened} /> : null}
    </>
  )
}
