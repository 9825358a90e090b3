// One sign-in for the terminals of several devices. Keys of this browser are unlocked once, and each device gets its own.
import { useEffect, useState } from 'react'
import { useRuntime, useStore } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button, Modal, Stack, Text } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { formatList } from '../../ui/text/numbers.ts'
import { UnlockForm } from '../vault/unlock-form.tsx'
import { vaultOf } from '../vault/vault.ts'
import { terminalMessages } from './messages.ts'
import { ConnectForm } from './pane/connect-form.tsx'
import type { PaneDevice } from './pane/pane-session.ts'
import { signInByVault } from './vault-sign-in.ts'
import type { Arrangement, Workspace } from './workspace.ts'
import classes from './terminal.module.css'

const texts = terminalMessages.group

export function GroupSignIn({ workspace }: { readonly workspace: Workspace }) {
  const wanted = useStore(workspace.wanted)
  const devices = wanted.filter(({ online }) => online)
  const [first] = devices
  const offline = wanted.filter(({ online }) => !online).map(({ name }) => name)
  return first ? <Dialog workspace={workspace} devices={devices} first={first} offline={offline} /> : null
}

interface DialogProps {
  readonly workspace: Workspace
  readonly devices: readonly PaneDevice[]
  readonly first: PaneDevice
  /** Names of those that no terminal is opened on. */
  readonly offline: readonly string[]
}

function Dialog({ workspace, devices, first, offline }: DialogProps) {
  const runtime = useRuntime()
  const vault = vaultOf(runtime)
  const stored = useStore(vault.state)
  const [arrangement, setArrangement] = useState<Arrangement>('tabs')
  const [asksOtherwise, setAsksOtherwise] = useState(false)
  useEffect(() => void vault.ready(), [vault])
  const close = () => workspace.wanted.set([])
  const locked = stored.kind === 'locked' && stored.keys.length > 0 && !asksOtherwise ? stored : undefined
  const byKeys = () => {
    close()
    workspace.openAll(devices, arrangement, (pane) => void signInByVault(runtime, pane))
  }
  return (
    <Modal
      opened
      onClose={close}
      returnFocus={false}
      title={texts.title(devices.length)}
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <Stack gap="md">
        <Text size="sm">{texts.devices(formatList(devices.map(({ name }) => name)))}</Text>
        {offline.length > 0 ? (
          <Callout tone="note">{texts.offline(formatList(offline), offline.length)}</Callout>
        ) : null}
        <fieldset className={classes['methods']}>
          <legend>{texts.arrangement}</legend>
          {(['tabs', 'panes'] as const).map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="arrangement"
                checked={arrangement === one}
                onChange={() => setArrangement(one)}
              />
              {texts.arrangements[one]}
            </label>
          ))}
        </fieldset>
        {locked ? (
          <>
            <Text size="sm">{texts.locked}</Text>
            <UnlockForm ways={locked.header.ways} takesFocus onUnlocked={byKeys} />
            <Button variant="subtle" onClick={() => setAsksOtherwise(true)}>
              {terminalMessages.vault.otherWay}
            </Button>
          </>
        ) : null}
      </Stack>
      {locked ? null : (
        <ConnectForm
          pane={{
            id: 'all',
            device: first,
            user: () => undefined,
            access: () => undefined,
            connect(access) {
              close()
              workspace.openAll(devices, arrangement, (pane) => pane.connect(access))
            },
          }}
          state={{ kind: 'form' }}
          takesFocus
        />
      )}
    </Modal>
  )
}
