// Progress of a change of many devices: how far it is, what failed and why, its retry and its undo.
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Button, Group, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { Causes } from './causes.tsx'
import { FailureList } from './failure-list.tsx'
import { jobMessages as texts } from './messages.ts'
import { type FailureCause, jobQuery, jobsQuery } from './queries.ts'
import { titleOf } from './results.ts'
import { useJobActions } from './use-job-actions.ts'
import classes from './jobs.module.css'

interface JobDialogProps {
  readonly id: string
  readonly onClose: () => void
}

export function JobDialog({ id, onClose }: JobDialogProps) {
  const { api } = useRuntime()
  const client = useQueryClient()
  const {
    data: job,
    isError,
    error,
    refetch,
  } = useQuery({
    ...jobQuery(api, id),
    placeholderData: () => client.getQueryData(jobsQuery(api).queryKey)?.find((job) => job.id === id),
  })
  const [shown, setShown] = useState<{ readonly cause: FailureCause }>()
  const title = job ? titleOf(job) : texts.recent
  return (
    <Dialog opened onClose={onClose} title={title} {...(shown ? { size: 'lg' } : {})}>
      {isError && !job ? <ErrorPanel title={texts.loadFailed} error={error} onRetry={() => refetch()} /> : null}
      {job && shown ? (
        <FailureList
          job={job}
          cause={shown.cause}
          onChoose={(cause) => setShown({ cause })}
          onBack={() => setShown(undefined)}
          onLeave={onClose}
        />
      ) : null}
      {job && !shown ? <Progress job={job} onClose={onClose} onShow={(cause) => setShown({ cause })} /> : null}
    </Dialog>
  )
}

interface ProgressProps {
  readonly job: DeviceJob
  readonly onClose: () => void
  /** Lists the devices that failed for a cause. */
  readonly onShow: (cause: FailureCause) => void
}

function Progress({ job, onClose, onShow }: ProgressProps) {
  const { stop, retry, undo } = useJobActions()
  const settled = job.done + job.failed
  const isRunning = job.state === 'running'
  return (
    <Stack gap="sm">
      <progress
        className={classes['progress']}
        aria-label={texts.progressLabel}
        value={settled}
        max={Math.max(1, job.total)}
      />
      <Text component="output" size="sm">
        {isRunning
          ? texts.jobRunning(formatCount(settled), job.total)
          : texts.jobEnded[job.state === 'stopped' ? 'stopped' : 'done'](
              formatCount(job.done),
              formatCount(job.failed),
              formatCount(job.total - settled),
            )}
      </Text>
      {job.failures.length > 0 ? <Causes failures={job.failures} onShow={onShow} /> : null}
      {isRunning ? (
        <Text size="xs" c="dimmed">
          {texts.jobGoesOn}
        </Text>
      ) : null}
      <Group justify="flex-end" gap="xs">
        {isRunning ? (
          <Button variant="default" onClick={() => void stop.run(job.id)}>
            {texts.stop}
          </Button>
        ) : null}
        {job.can_retry ? (
          <Button variant="default" onClick={() => void retry.run(job.id)}>
            {texts.retry[job.state === 'stopped' ? 'stopped' : 'done']}
          </Button>
        ) : null}
        {job.can_undo ? (
          <Button variant="default" onClick={() => void undo.run(job.id)}>
            {uiMessages.undo}
          </Button>
        ) : null}
        <Button onClick={onClose}>{uiMessages.close}</Button>
      </Group>
    </Stack>
  )
}
