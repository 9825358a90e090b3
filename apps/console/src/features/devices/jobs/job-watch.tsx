// Follows the person's changes of many devices on every page: shows the dialog of the opened one, tells when one ends
// whose dialog is closed, and fetches the lists again that it has changed.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useRuntime, useStore } from '../../../core/context.tsx'
import { keys } from '../../../live/apply-events.ts'
import { notifyEnded } from '../../../ui/feedback/notify.tsx'
import { uiMessages } from '../../../ui/messages.ts'
import { JobDialog } from './job-dialog.tsx'
import { jobMessages as texts } from './messages.ts'
import { openJob, openedJob } from './opened.ts'
import { jobsQuery } from './queries.ts'
import { endsSince, resultOf } from './results.ts'
import { useJobActions } from './use-job-actions.ts'

export function JobWatch() {
  const { api } = useRuntime()
  const client = useQueryClient()
  const { data: jobs } = useQuery(jobsQuery(api))
  const { undo } = useJobActions()
  const opened = useStore(openedJob)
  const running = useRef<ReadonlySet<string>>(new Set())
  const look = useEffectEvent((listed: NonNullable<typeof jobs>) => {
    const { ended, ...next } = endsSince(running.current, listed)
    running.current = next.running
    if (ended.length === 0) return
    for (const queryKey of [keys.devices, keys.containers, keys.stats, keys.tags])
      void client.invalidateQueries({ queryKey })
    for (const job of ended.filter(({ id }) => id !== openedJob.get())) {
      const show = { label: texts.show, onClick: () => openJob(job.id) }
      const takeBack = { label: uiMessages.undo, onClick: () => void undo.run(job.id) }
      notifyEnded({ id: job.id, title: resultOf(job), actions: job.can_undo ? [show, takeBack] : [show] })
    }
  })
  useEffect(() => jobs && look(jobs), [jobs])
  // The next namespace, or nobody, has other changes.
  useEffect(() => () => openedJob.set(undefined), [])
  return opened === undefined ? null : <JobDialog id={opened} onClose={() => openedJob.set(undefined)} />
}
