// Button beside the list of devices that lists the changes of many of them: those that run, and those of the last day.
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { Button, Popover } from '../../../ui/kit.ts'
import { jobMessages as texts } from '../jobs/messages.ts'
import { jobsQuery, recentJobs } from '../jobs/queries.ts'
import { BulkChanges } from './bulk-changes.tsx'

/** Renders nothing where there was none. */
export function RecentChanges() {
  const { api } = useRuntime()
  const [opened, setOpened] = useState(false)
  const { data = [], dataUpdatedAt: now } = useQuery(jobsQuery(api))
  if (recentJobs(data, now).length === 0) return null
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width="min(25rem, calc(100vw - 1.25rem))"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<History size={16} aria-hidden />}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          {texts.recent}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={0} aria-label={texts.recent}>
        <BulkChanges onLeave={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
