// Progress of a change of all devices that match: how far it is, what failed and why, and its undo.
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { Dialog } from '../../../ui/feedback/dialog.tsx'
import { Button, Group, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { bulkMessages as texts } from './bulk-messages.ts'
import type { Job } from './use-job.ts'
import classes from './bulk-bar.module.css'

export function JobDialog({ job, stop, undo, forget }: Omit<Job, 'start' | 'job'> & { readonly job: DeviceJob }) {
  const settled = job.done + job.failed
  const isRunning = job.state === 'running'
  return (
    <Dialog opened onClose={forget} title={texts.jobTitles[job.action](job.total)}>
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
              )}
        </Text>
        {job.failures.length > 0 ? (
          <ul aria-label={texts.failuresLabel} className={classes['failures']}>
            {job.failures.map(({ code, message, count, examples }) => (
              <li key={`${code} ${message}`}>
                <Text size="sm" fw={550}>
                  {texts.failedCount(formatCount(count))}: {message}
                </Text>
                <Text size="xs" c="dimmed">
                  {examples.join(', ')}
                  {count > examples.length ? texts.andMore(formatCount(count - examples.length)) : ''}
                </Text>
              </li>
            ))}
          </ul>
        ) : null}
        {isRunning ? (
          <Text size="xs" c="dimmed">
            {texts.jobGoesOn}
          </Text>
        ) : null}
        <Group justify="flex-end" gap="xs">
          {isRunning ? (
            <Button variant="default" onClick={stop}>
              {texts.stop}
            </Button>
          ) : null}
          {job.can_undo ? (
            <Button variant="default" onClick={undo}>
              {uiMessages.undo}
            </Button>
          ) : null}
          <Button onClick={forget}>{uiMessages.close}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
