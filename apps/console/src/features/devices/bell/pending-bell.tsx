// The notification bell: pending devices, to accept or reject from any page, and ended sessions. Its contents load when
// it first opens.
import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { useState } from 'react'
import { usePerson, useRuntime } from '../../../core/context.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { Popover } from '../../../ui/kit.ts'
import type { BellContents } from './bell-contents.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { statsQuery } from '../../../core/devices/queries.ts'
import classes from './pending-bell.module.css'
import { pageFile } from '../../../platform/page-files.ts'

const loadContents = pageFile(() => import('./bell-contents.tsx'))

export function PendingBell() {
  const { api } = useRuntime()
  const isMember = usePerson()?.tenant !== ''
  const { data: stats } = useQuery({ ...statsQuery(api), enabled: isMember })
  const [opened, setOpened] = useState(false)
  // Load before the popover opens, so that the focus can move into the contents.
  const [parts, setParts] = useState<{ readonly Contents: typeof BellContents }>()
  const requests = stats?.accessRequests ?? 0
  const pending = stats?.devices.pending ?? 0
  const waiting = texts.bell(pending)
  const toggle = async () => {
    if (!parts) setParts({ Contents: (await loadContents()).BellContents })
    setOpened(!opened)
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width="min(25rem, calc(100vw - 1.25rem))"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <IconButton
          size={32}
          aria-label={requests === 0 ? waiting : texts.bellWithRequests(waiting, requests)}
          aria-expanded={opened}
          onClick={() => void toggle()}
          className={classes['bell'] ?? ''}
          data-waiting={pending + requests > 0 || undefined}
        >
          <Bell size={17} aria-hidden />
        </IconButton>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={texts.bellLabel}>
        {parts ? <parts.Contents onLeave={() => setOpened(false)} /> : null}
      </Popover.Dropdown>
    </Popover>
  )
}
