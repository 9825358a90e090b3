// Running changes of many devices in the side bar: how far each is, and the way to its dialog.
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { UnstyledButton } from '../../../ui/kit.ts'
import { keys } from '../../../live/apply-events.ts'
import { jobMessages as texts } from './messages.ts'
import { openJob } from './opened.ts'
import { jobQuery, jobsQuery } from './queries.ts'
import { partOf } from './results.ts'
import classes from './jobs.module.css'

interface RunningJobsProps {
  /** A dialog opens in place of what this is in. */
  readonly onLeave?: (() => void) | undefined
}

export function RunningJobs({ onLeave }: RunningJobsProps) {
  const { api } = useRuntime()
  const { data: jobs = [] } = useQuery(jobsQuery(api))
  const running = jobs.filter(({ state }) => state === 'running')
  if (running.length === 0) return null
  return (
    <ul aria-label={texts.running} className={classes['running']}>
      {running.map((job) => (
        <li key={job.id}>
          <RunningJob job={job} onLeave={onLeave} />
        </li>
      ))}
    </ul>
  )
}

function RunningJob({ job: listed, onLeave }: RunningJobsProps & { readonly job: DeviceJob }) {
  const { api } = useRuntime()
  const client = useQueryClient()
  const { data: job = listed } = useQuery(jobQuery(api, listed.id))
  const hasEnded = job.state !== 'running'
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: keys.deviceJobs })
  }, [hasEnded, client])
  return (
    <UnstyledButton
      className={classes['chip'] ?? ''}
      onClick={() => {
        onLeave?.()
        openJob(job.id)
      }}
    >
      <span className={classes['words']}>
        <span className={classes['change']}>{texts.short[job.action]}</span>
        <span className={classes['part']}>· {partOf(job)}</span>
      </span>
      <progress className={classes['thin']} aria-hidden value={job.done + job.failed} max={Math.max(1, job.total)} />
    </UnstyledButton>
  )
}
