// Failures of a change of many devices by cause: how many, some of the devices, and the way to all of them.
import type { DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import { serverText } from '../../../platform/language/server-text.ts'
import { Button, Text } from '../../../ui/kit.ts'
import { formatCount } from '../../../ui/text/numbers.ts'
import { jobMessages as texts } from './messages.ts'
import type { FailureCause } from './queries.ts'
import classes from './jobs.module.css'

interface CausesProps {
  readonly failures: DeviceJob['failures']
  readonly onShow: (cause: FailureCause) => void
}

export function Causes({ failures, onShow }: CausesProps) {
  return (
    <ul aria-label={texts.failuresLabel} className={classes['failures']}>
      {failures.map(({ code, message, count, examples }) => (
        <li key={`${code} ${message}`}>
          <Text size="sm" fw={550}>
            {texts.failedCount(formatCount(count))}: {serverText(message)}
          </Text>
          <Text size="xs" c="dimmed">
            {examples.join(', ')}
            {count > examples.length ? texts.andMore(formatCount(count - examples.length)) : ''}
          </Text>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={texts.allFailures.of(serverText(message))}
            onClick={() => onShow({ code, message })}
          >
            {texts.allFailures.show}
          </Button>
        </li>
      ))}
    </ul>
  )
}
