// A failed load: what failed, why, the request id for the administrator, and a retry button.
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from '../text/copy-button.tsx'
import { describeError } from './describe-error.ts'
import { Button, Group, Text } from '../kit.ts'
import { uiMessages } from '../messages.ts'
import classes from './error-panel.module.css'

interface ErrorPanelProps {
  /** Sentence about the failure: "The devices could not be loaded." */
  readonly title: string
  readonly error: unknown
  /** Its button shows that it is under way until what it returns has settled. */
  readonly onRetry?: () => unknown
  /** Default: "Try again". */
  readonly retryLabel?: string
}

export function ErrorPanel({ title, error, onRetry, retryLabel = uiMessages.retry }: ErrorPanelProps) {
  const { cause, requestId } = describeError(error)
  const [isRetrying, setIsRetrying] = useState(false)
  const retry = async (again: () => unknown) => {
    setIsRetrying(true)
    try {
      await again()
    } finally {
      setIsRetrying(false)
    }
  }
  return (
    <div role="alert" className={classes['panel']}>
      <TriangleAlert size={18} aria-hidden className={classes['icon']} />
      <div className={classes['body']}>
        <Text fw={600}>{title}</Text>
        {cause === '' ? null : <Text size="sm">{cause}</Text>}
        {requestId === '' ? null : (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              {uiMessages.requestId} <code>{requestId}</code>
            </Text>
            <CopyButton text={requestId} what={uiMessages.copyRequestId} />
          </Group>
        )}
        {onRetry ? (
          <Button variant="default" size="xs" mt="xs" loading={isRetrying} onClick={() => void retry(onRetry)}>
            {retryLabel}
          </Button>
        ) : null}
      </div>
    </div>
  )
}
