// Backup of the store, as a file: saved from here, restored where there is no store.
import { Download } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Button, Group } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { FileText } from '../../ui/text/file-text.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { dayOf } from '../../ui/controls/days.ts'
import { vaultMessages as texts } from './messages.ts'
import { MAX_BACKUP_BYTES } from './store/backup.ts'
import { vaultOf } from './vault.ts'

export function BackupCard() {
  const vault = vaultOf(useRuntime())
  const save = useAction({
    call: async () => saveFile(new Blob([await vault.backup()], { type: 'application/json' }), fileName()),
    failed: texts.backupFailed,
  })
  return (
    <SectionCard title={texts.backup} text={texts.backupText}>
      <Group justify="flex-end">
        <Button variant="default" leftSection={<Download size={15} aria-hidden />} onClick={() => void save.run()}>
          {texts.backupSave}
        </Button>
      </Group>
    </SectionCard>
  )
}

export function RestoreButton() {
  const vault = vaultOf(useRuntime())
  const restore = useAction({
    call: (text: string) => vault.restore(text),
    done: texts.restored,
    failed: texts.restoreFailed,
  })
  return (
    <FileText
      label={texts.restore}
      accept="application/json,.json"
      maxBytes={MAX_BACKUP_BYTES}
      onText={(text) => void restore.run(text)}
    />
  )
}

const fileName = (): string => `bowline-keys-${dayOf(new Date())}.json`
