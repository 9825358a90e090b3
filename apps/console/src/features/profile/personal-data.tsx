// Export of what the server has about the signed-in person: the browser downloads it by a link that works once.
import { users } from '@bowline/contract/operations/users'
import { Download } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { useArchive } from '../../core/use-archive.ts'
import { Button } from '../../ui/kit.ts'
import { SectionCard, SettingRow } from '../../ui/page/section-card.tsx'
import { profileMessages as texts } from './messages.ts'

export function PersonalData() {
  const { api } = useRuntime()
  const begin = useArchive({
    link: () => api.call(users.export, {}),
    done: texts.dataBegun,
    failed: texts.dataFailed,
  })
  return (
    <SectionCard id="personal-data" title={texts.data} text={texts.dataText}>
      <SettingRow label={texts.dataLabel} hint={texts.dataHint}>
        <Button
          variant="default"
          loading={begin.isPending}
          leftSection={<Download size={15} aria-hidden />}
          onClick={() => void begin.run()}
        >
          {texts.dataAction}
        </Button>
      </SettingRow>
    </SectionCard>
  )
}
