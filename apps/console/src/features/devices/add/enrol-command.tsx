// The way to add a device without an agent: the command for its own ssh client, in which an install key has a place.
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack, Text } from '../../../ui/kit.ts'
import { CopyField } from '../../../ui/text/copy-field.tsx'
import { infoQuery } from '../../instance/queries.ts'
import { enrolCommand, parseSshEndpoint } from './commands.ts'
import { addingMessages as texts } from './messages.ts'

/** Stands for the install key, which only its maker has seen. */
const PLACEHOLDER = 'KEY'

/** @param installKey '' for none */
export function EnrolCommand({ installKey }: { readonly installKey: string }) {
  const { api } = useRuntime()
  const info = useQuery(infoQuery(api))
  if (info.isError && !info.data) {
    return <ErrorPanel title={texts.enrolFailed} error={info.error} onRetry={() => info.refetch()} />
  }
  return (
    <Stack gap="md">
      <Text size="sm">{texts.enrolText}</Text>
      {info.data ? (
        <CopyField
          text={enrolCommand(parseSshEndpoint(info.data.endpoints.ssh), installKey || PLACEHOLDER)}
          what={texts.enrolCommand}
          focusFirst
        />
      ) : (
        <Skeleton height={36} />
      )}
      <Text size="sm">
        <a href="/docs/user-guides/devices/without-an-agent" target="_blank" rel="noreferrer">
          {texts.toEnrolment}
        </a>
      </Text>
    </Stack>
  )
}
