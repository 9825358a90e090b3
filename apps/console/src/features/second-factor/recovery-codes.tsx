// Recovery codes, shown once.
import { Download } from 'lucide-react'
import { usePerson } from '../../core/context.tsx'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { secondFactorMessages as texts } from './messages.ts'
import classes from './second-factor.module.css'

interface RecoveryCodesProps {
  /** Empty: the dialog is closed. */
  readonly codes: readonly string[]
  readonly onSaved: () => void
}

export function RecoveryCodes({ codes, onSaved }: RecoveryCodesProps) {
  const username = usePerson()?.user ?? ''
  const download = (): void =>
    saveFile(new Blob([texts.file(location.host, username, codes)], { type: 'text/plain' }), texts.fileName)
  return (
    <Dialog opened={codes.length > 0} onClose={onSaved} title={texts.codesTitle} insists>
      <Stack gap="md">
        <Text size="sm">{texts.codesText}</Text>
        <ul aria-label={texts.codesList} className={classes['codes']}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <CopyButton text={codes.join('\n')} what={texts.codesWhat} focusFirst />
            <Button variant="default" leftSection={<Download size={15} aria-hidden />} onClick={download}>
              {texts.download}
            </Button>
          </Group>
          <Button onClick={onSaved}>{texts.saved}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
