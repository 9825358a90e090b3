// A device's operating system on one line.
import type { Device } from '@bowline/contract/schemas/device'
import { Text } from '../../ui/kit.ts'
import classes from './devices.module.css'

export function DeviceSystem({ device }: { readonly device: Device }) {
  const { info } = device
  if (!info) return null
  return (
    <span className={classes['system']} title={`${info.pretty_name} ${info.arch}`}>
      {info.pretty_name}{' '}
      <Text span size="xs" c="dimmed">
        {info.arch}
      </Text>
    </span>
  )
}
