// The pane while the key that it would use is locked: one prompt, after which it connects by itself.
import { useRuntime, useStore } from '../../../core/context.tsx'
import { Button, Stack, Text, Title } from '../../../ui/kit.ts'
import { UnlockForm } from '../../vault/unlock-form.tsx'
import { vaultOf } from '../../vault/vault.ts'
import { terminalMessages as texts } from '../messages.ts'
import type { SignInPane } from './pane-session.ts'
import classes from '../terminal.module.css'

export function UnlockPane({ pane, takesFocus }: { readonly pane: SignInPane; readonly takesFocus: boolean }) {
  const state = useStore(vaultOf(useRuntime()).state)
  if (state.kind !== 'locked') return null
  return (
    <div className={classes['form']}>
      <div className={classes['formInner']}>
        <Stack gap="md">
          <Title order={2}>{texts.vault.unlock}</Title>
          <Text size="sm" c="dimmed">
            {texts.vault.unlockText(pane.device.name)}
          </Text>
          <UnlockForm ways={state.header.ways} takesFocus={takesFocus} />
          <Button variant="subtle" onClick={() => pane.show({ kind: 'form' })}>
            {texts.vault.otherWay}
          </Button>
        </Stack>
      </div>
    </div>
  )
}
