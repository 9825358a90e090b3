// One sign-in for the terminals of several devices.
import { useState } from 'react'
import { useStore } from '../../core/context.tsx'
import { Modal, Stack, Text } from '../../ui/kit.ts'
import { uiMessages } from '../../ui/messages.ts'
import { formatList } from '../../ui/text/numbers.ts'
import { terminalMessages } from './messages.ts'
import { ConnectForm } from './pane/connect-form.tsx'
import type { PaneDevice } from './pane/pane-session.ts'
import type { Arrangement, Workspace } from './workspace.ts'
import classes from './terminal.module.css'

const texts = terminalMessages.group

export function GroupSignIn({ workspace }: { readonly workspace: Workspace }) {
  const devices = useStore(workspace.wanted)
  const [first] = devices
  return first ? <Dialog workspace={workspace} devices={devices} first={first} /> : null
}

interface DialogProps {
  readonly workspace: Workspace
  readonly devices: readonly PaneDevice[]
  readonly first: PaneDevice
}

function Dialog({ workspace, devices, first }: DialogProps) {
  const [arrangement, setArrangement] = useState<Arrangement>('tabs')
  const close = () => workspace.wanted.set([])
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
      </Stack>
      <ConnectForm
        pane={{
          id: 'all',
          device: first,
          user: () => undefined,
          access: () => undefined,
          connect(access) {
            close()
            workspace.openAll(devices, arrangement, access)
          },
        }}
        state={{ kind: 'form' }}
        takesFocus
      />
    </Modal>
  )
}
