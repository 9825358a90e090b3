// Export of the namespace, for its owner: the browser downloads the archive by a link that works once.
import { namespaces } from '@bowline/contract/operations/namespaces'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import { Download } from 'lucide-react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useArchive } from '../../core/use-archive.ts'
import { Button } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { settingsMessages as texts } from './messages.ts'

export function ExportCard({ namespace }: { readonly namespace: Namespace }) {
  const { api } = useRuntime()
  const may = useMay('namespaceExport')
  const begin = useArchive({
    link: () => api.call(namespaces.export, { params: { tenant: namespace.tenant_id } }),
    done: texts.exportBegun,
    failed: texts.exportFailed,
  })
  return (
    <SectionCard id="export" title={texts.export} text={texts.exportText}>
      <SettingRow label={texts.exportLabel} hint={may ? texts.exportHint : texts.exportOwner}>
        <Button
          variant="default"
          disabled={!may}
          loading={begin.isPending}
          leftSection={<Download size={15} aria-hidden />}
          onClick={() => void begin.run()}
        >
          {texts.exportAction}
        </Button>
      </SettingRow>
    </SectionCard>
  )
}
