// The public half of a key of the vault: to copy, and to register in the namespace.
import { useState } from 'react'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { KeyDialog } from '../public-keys/key-dialog.tsx'
import { vaultMessages as texts } from './messages.ts'
import type { VaultKey } from './vault-key.ts'

interface RegistrationProps {
  /** undefined: closed. */
  readonly item: VaultKey | undefined
  readonly onClose: () => void
}

export function Registration({ item, onClose }: RegistrationProps) {
  const [registering, setRegistering] = useState<string>()
  return (
    <>
      <Dialog opened={item !== undefined} onClose={onClose} title={texts.doneTitle(item?.name ?? '')} size="lg">
        {item ? (
          <Stack gap="md">
            <Text size="sm">{texts.doneText}</Text>
            <CopyField text={item.line} what={texts.copyLine} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                {texts.notNow}
              </Button>
              <Button
                data-autofocus
                onClick={() => {
                  setRegistering(item.line)
                  onClose()
                }}
              >
                {texts.registerHere}
              </Button>
            </Group>
          </Stack>
        ) : null}
      </Dialog>
      <KeyDialog
        edited={registering === undefined ? undefined : 'new'}
        line={registering ?? ''}
        onClose={() => setRegistering(undefined)}
      />
    </>
  )
}
