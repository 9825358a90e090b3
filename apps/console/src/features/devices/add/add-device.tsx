// Add-device dialog: the install command or the code that a device shows, then the new device up to its first connection.
import { useEffect, useState } from 'react'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Loader, Modal, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { ArrivedDevice } from './arrived-device.tsx'
import { InstallCommand } from './install-command.tsx'
import { PairDevice } from './pair-device.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { useArrivals } from './use-arrivals.ts'
import classes from './add-device.module.css'

interface AddDeviceProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddDevice({ opened, onClose }: AddDeviceProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.addTitle}
      size="lg"
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <AddDeviceBody />
    </Modal>
  )
}

/** Mounted with the dialog: devices that register from then on are shown as arrived. */
function AddDeviceBody() {
  const registered = useArrivals()
  const [paired, setPaired] = useState<readonly string[]>([])
  useEffect(() => {
    if (registered.length) announce(texts.arrived)
  }, [registered.length])
  const arrivals = [...new Set([...registered, ...paired])]
  return (
    <Stack gap="md">
      <Text size="sm">{texts.addText}</Text>
      <InstallCommand />
      <Text size="sm" c="dimmed">
        {texts.noAgent}{' '}
        <a href="/docs/user-guides/devices/without-an-agent" target="_blank" rel="noreferrer">
          {texts.toEnrolment}
        </a>
      </Text>
      <PairDevice onPaired={(uid) => setPaired([...paired, uid])} />
      {arrivals.map((uid) => (
        <ArrivedDevice key={uid} uid={uid} />
      ))}
      {arrivals.length ? null : (
        <div className={classes['waiting']}>
          <Loader size="xs" type="dots" aria-hidden />
          <Text size="sm" c="dimmed">
            {texts.waiting}
          </Text>
        </div>
      )}
    </Stack>
  )
}
