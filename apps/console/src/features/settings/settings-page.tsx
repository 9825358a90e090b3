// Settings page of the namespace.
import { useMay } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Stack } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { PageSections } from '../../ui/page/page-sections.tsx'
import { BillingCard } from '../billing/billing-card.tsx'
import { ProvisioningCard } from '../provisioning/provisioning-card.tsx'
import { SnippetsCard } from '../shared-snippets/snippets-card.tsx'
import { AccessSettings } from './access-settings.tsx'
import { AnnouncementEditor } from './announcement-editor.tsx'
import { DangerZone } from './danger-zone.tsx'
import { ExportCard } from './export-card.tsx'
import { FactorSettings } from './factor-settings.tsx'
import { GeneralSettings } from './general-settings.tsx'
import { settingsMessages as texts } from './messages.ts'
import { SessionSettings } from './session-settings.tsx'
import { useNamespaceSettings } from './use-namespace-settings.ts'

export function SettingsPage() {
  const settings = useNamespaceSettings()
  const may = useMay('namespaceUpdate')
  const { query } = settings
  return (
    <Page title={texts.title}>
      {query.isError ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={320} /> : null}
      {query.data ? (
        <PageSections>
          <Stack gap="md">
            {may ? null : <Callout tone="note">{texts.roleTooLow}</Callout>}
            <GeneralSettings namespace={query.data} settings={settings} may={may} />
            <SessionSettings namespace={query.data} settings={settings} may={may} />
            <AccessSettings namespace={query.data} settings={settings} may={may} />
            <FactorSettings namespace={query.data} settings={settings} may={may} />
            <AnnouncementEditor
              key={query.data.settings.connection_announcement}
              namespace={query.data}
              settings={settings}
              may={may}
            />
            <SnippetsCard />
            <BillingCard />
            <ProvisioningCard />
            <ExportCard namespace={query.data} />
            <DangerZone namespace={query.data} />
          </Stack>
        </PageSections>
      ) : null}
    </Page>
  )
}
