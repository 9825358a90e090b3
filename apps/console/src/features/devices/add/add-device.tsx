// Add-device dialog: one of the ways to add one, then the new device up to its first connection.
import { useEffect, useState } from 'react'
import { announce } from '../../../ui/feedback/announce.tsx'
import { Loader, Modal, Stack, Text } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import type { AddWay } from '../search.ts'
import { AddWays } from './add-ways.tsx'
import { ArrivedDevice } from './arrived-device.tsx'
import { rememberWay, wayOf } from './ways.ts'
import { devicesMessages as texts } from '../messages.ts'
import { useArrivals } from './use-arrivals.ts'
import classes from './add-device.module.css'

interface AddDeviceProps {
  readonly opened: boolean
  /** `yes`: the one that was chosen last. */
  readonly way: AddWay | 'yes'
  readonly onWay: (way: AddWay) => void
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
      <AddDeviceBody
        way={wayOf(way)}
        onWay={(next) => {
          rememberWay(next)
          onWay(next)
        }}
      />
    </Modal>
  )
}

/** Mounted with the dialog: devices that register from then on are shown as arrived. */
function AddDeviceBody({ way, onWay }: { readonly way: AddWay; readonly onWay: (way: AddWay) => void }) {
  const registered = useArrivals()
  const [paired, setPaired] = useState<readonly string[]>([])
  useEffect(() => {
    if (registered.length) announce(texts.arrived)
  }, [registered.length])
  const arrivals = [...new Set([...registered, ...paired])]
  return (
    <Stack gap="md">
      <AddWays way={way} onWay={onWay} onPaired={(uid) => setPaired([...paired, uid])} focusFirst />
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
