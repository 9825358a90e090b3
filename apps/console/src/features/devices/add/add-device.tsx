// Add-device dialog: one of the ways to add one, then the new device up to its first connection.
import { useEffect, useState } from 'react'
import { TabPanel } from '../../../ui/controls/tab-panel.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Loader, Modal, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { ArrivedDevice } from './arrived-device.tsx'
import { EnrolCommand } from './enrol-command.tsx'
import { InstallCommand } from './install-command.tsx'
import { ManyDevices } from './many-devices.tsx'
import { addingMessages as ways } from './messages.ts'
import { PairDevice } from './pair-device.tsx'
import { PhoneCode } from './phone-code.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { useArrivals } from './use-arrivals.ts'
import classes from './add-device.module.css'

/** `yes`: the install command. */
type Way = keyof typeof ways.ways

interface AddDeviceProps {
  readonly opened: boolean
  readonly way: Way
  readonly onWay: (way: Way) => void
  readonly onClose: () => void
}

export function AddDevice({ opened, way, onWay, onClose }: AddDeviceProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.addTitle}
      size="lg"
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      <AddDeviceBody way={way} onWay={onWay} />
    </Modal>
  )
}

/** Mounted with the dialog: devices that register from then on are shown as arrived. */
function AddDeviceBody({ way, onWay }: Pick<AddDeviceProps, 'way' | 'onWay'>) {
  const registered = useArrivals()
  const [paired, setPaired] = useState<readonly string[]>([])
  useEffect(() => {
    if (registered.length) announce(texts.arrived)
  }, [registered.length])
  const arrivals = [...new Set([...registered, ...paired])]
  return (
    <Stack gap="md">
      <TabPanel label={ways.label} tabs={ways.ways} current={way} onChange={onWay} panelClassName={classes['way']}>
        {way === 'yes' ? (
          <Stack gap="md">
            <Text size="sm">{texts.addText}</Text>
            <InstallCommand />
          </Stack>
        ) : null}
        {way === 'many' ? <ManyDevices /> : null}
        {way === 'agentless' ? <EnrolCommand /> : null}
        {way === 'code' ? (
          <Stack gap="md">
            <PairDevice onPaired={(uid) => setPaired([...paired, uid])} />
            <PhoneCode />
          </Stack>
        ) : null}
      </TabPanel>
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
