// Whether the tunnels of a device have names that people can remember.
import { devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Switch } from '../../ui/kit.ts'
import { tunnelsMessages as texts } from './messages.ts'
import { tunnelKeys } from './queries.ts'
import classes from './tunnels.module.css'

export function StableNames({ device, may }: { readonly device: Device; readonly may: boolean }) {
  const { api } = useRuntime()
  const put = useAction({
    call: (on: boolean) => api.call(operations.update, { params: { uid: device.uid }, body: { public_url: on } }),
    done: (on) => (on ? texts.stableNamesOn(device.name) : texts.stableNamesOff(device.name)),
    failed: texts.stableNamesFailed,
    invalidates: [keys.devices, tunnelKeys.lists],
  })
  return (
    <Switch
      className={classes['names']}
      label={texts.stableNames}
      description={texts.stableNamesHint}
      checked={device.public_url}
      disabled={!may || put.isPending}
      onChange={(event) => void put.run(event.currentTarget.checked)}
    />
  )
}
