// Keys that the SSH server of a device without an agent trusts, so that people log in by their registered keys.
import { devices as operations } from '@bowline/contract/operations/devices'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack, Text } from '../../../ui/kit.ts'
import { SectionCard } from '../../../ui/page/section-card.tsx'
import { CopyField } from '../../../ui/text/copy-field.tsx'
import { agentlessMessages as texts } from './messages.ts'

export function UserAuthority() {
  const { api } = useRuntime()
  const query = useQuery({
    queryKey: ['user-authority'],
    queryFn: async () => (await api.call(operations.userAuthority, {})).body,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const lines = query.data
  return (
    <SectionCard title={texts.authorityTitle}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {texts.authorityText}{' '}
          <a href="/docs/user-guides/devices/without-an-agent#who-gets-in" target="_blank" rel="noreferrer">
            {texts.toDocs}
          </a>
        </Text>
        {lines ? (
          <>
            <Text size="sm">{texts.opensshText}</Text>
            <CopyField text={lines.openssh.commands.join('\n')} what={texts.opensshWhat} />
            <Text size="sm">{texts.dropbearText}</Text>
            <CopyField text={lines.dropbear.commands.join('\n')} what={texts.dropbearWhat} />
          </>
        ) : query.isError ? (
          <ErrorPanel title={texts.authorityFailed} error={query.error} onRetry={() => query.refetch()} />
        ) : (
          <Skeleton height={120} />
        )}
      </Stack>
    </SectionCard>
  )
}
