// Mail of the server, for its administrators: settings in effect, a test, the outbox and the texts.
import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { MailSettingsCard } from './mail-settings.tsx'
import { MailTest } from './mail-test.tsx'
import { mailMessages as texts } from './messages.ts'
import { Outbox } from './outbox.tsx'
import { Previews } from './previews.tsx'
import { mailSettingsQuery } from './queries.ts'

export function MailPage() {
  const { api } = useRuntime()
  const may = usePerson()?.instance_admin === true
  const settings = useQuery({ ...mailSettingsQuery(api), enabled: may })
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  return (
    <Page title={texts.title}>
      {settings.isError ? (
        <ErrorPanel title={texts.loadFailed} error={settings.error} onRetry={() => settings.refetch()} />
      ) : null}
      {settings.isPending ? <Skeleton height={320} /> : null}
      {settings.data ? (
        <Stack gap="md">
          <MailSettingsCard settings={settings.data} />
          <MailTest settings={settings.data} />
          <Outbox />
          <Previews />
        </Stack>
      ) : null}
    </Page>
  )
}
