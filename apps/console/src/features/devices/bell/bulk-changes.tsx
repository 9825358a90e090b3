// Changes of many devices among the contents of the bell: those that run, and those of the last day.
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { UnstyledButton } from '../../../ui/kit.ts'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { jobMessages as texts } from '../jobs/messages.ts'
import { openJob } from '../jobs/opened.ts'
import { jobQuery, jobsQuery, recentJobs } from '../jobs/queries.ts'
import { partOf, titleOf, troubleOf } from '../jobs/results.ts'
import classes from './pending-bell.module.css'

const SHOWN = 5

interface BulkChangesProps {
  /** A dialog opens. */
  readonly onLeave: () => void
}

export function BulkChanges({ onLeave }: BulkChangesProps) {
  const { api } = useRuntime()
  const { data = [], dataUpdatedAt: now } = useQuery(jobsQuery(api))
  const jobs = recentJobs(data, now).slice(0, SHOWN)
  if (jobs.length === 0) return null
  return (
    <section aria-label={texts.recent}>
      <h2 className={classes['head']}>{texts.recent}</h2>
      <ul className={classes['list']}>
        {jobs.map((job) => (
          <li key={job.id} className={classes['item']}>
            <Change job={job} onLeave={onLeave} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Change({ job: listed, onLeave }: BulkChangesProps & { readonly job: DeviceJob }) {
  const { api } = useRuntime()
  const { data: job = listed } = useQuery({ ...jobQuery(api, listed.id), enabled: listed.state === 'running' })
  const isRunning = job.state === 'running'
  const facts = isRunning ? partOf(job) : troubleOf(job)
  return (
    <div className={classes['text']}>
      <UnstyledButton
        className={classes['name'] ?? ''}
        onClick={() => {
          onLeave()
          openJob(job.id)
        }}
      >
        {titleOf(job)}
      </UnstyledButton>
      <div className={classes['facts']}>
        <TimeAgo time={job.finished_at ?? job.created_at} />
        {facts === '' ? '' : ` · ${facts}`}
      </div>
    </div>
  )
}
