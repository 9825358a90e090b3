// A device's operating system on one line, and the version of its agent.
import type { Device } from '@bowline/contract/schemas/device'
import { Text } from '../../ui/kit.ts'
import classes from './devices.module.css'

export function DeviceSystem({ device }: { readonly device: Device }) {
  const { info } = device
  if (!info) return null
  return (
    <span className={classes['system']} title={`${info.pretty_name} ${info.arch}, agent ${info.version}`}>
      {info.pretty_name}{' '}
      <Text span size="xs" c="dimmed">
        {info.arch} · {info.version}
      </Text>
    </span>
  )
}
