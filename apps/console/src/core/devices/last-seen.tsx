// When a device was last seen: one that is online is seen now, whenever the list was read.
import type { Device } from '@bowline/contract/schemas/device'
import { uiMessages } from '../../ui/messages.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

export function LastSeen({ device }: { readonly device: Pick<Device, 'online' | 'last_seen'> }) {
  return device.online ? uiMessages.now : <TimeAgo time={device.last_seen} />
}
