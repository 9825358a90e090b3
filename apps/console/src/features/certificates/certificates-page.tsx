// Certificates of the server, for its administrators: until when, and why a renewal failed.
import { useQuery } from '@tanstack/react-query'
import { Lock } from 'lucide-react'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { CertificateCard } from './certificate-card.tsx'
import { certificateMessages as texts } from './messages.ts'
import { certificatesQuery } from './queries.ts'

export function CertificatesPage() {
  const { api } = useRuntime()
  const may = usePerson()?.instance_admin === true
  const server = useQuery({ ...certificatesQuery(api), enabled: may })
  if (!may) {
    return (
      <Page title={texts.title}>
        <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
      </Page>
    )
  }
  const { data } = server
  return (
    <Page title={texts.title}>
      {server.isError && !data ? (
        <ErrorPanel title={texts.loadFailed} error={server.error} onRetry={() => server.refetch()} />
      ) : null}
      {server.isPending ? <Skeleton height={240} /> : null}
      {data?.certificates.length === 0 ? (
        <EmptyState icon={<Lock size={24} />} title={texts.none} text={texts.noneText} />
      ) : null}
      <Stack gap="md">
        {data?.certificates.map((one) => (
          <CertificateCard key={one.use} certificate={one} server={data} />
        ))}
      </Stack>
    </Page>
  )
}
