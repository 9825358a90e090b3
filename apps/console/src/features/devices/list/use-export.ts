// Saves every device that matches as a file.
import { containers, devices } from '@bowline/contract/operations/devices'
import { useRuntime } from '../../../core/context.tsx'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { useAction } from '../../../core/use-action.ts'
import { saveFile } from '../../../ui/text/save-file.ts'
import { devicesMessages as texts } from '../messages.ts'
import { type DevicesSearch, deviceListOf } from '../search.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export function useExport(kind: DeviceKind, search: DevicesSearch): (format: ExportFormat) => void {
  const { api } = useRuntime()
  const { status, sort, order, page: _page, perPage: _perPage, ...choices } = deviceListOf(search)
  const act = useAction({
    async call(format: ExportFormat) {
      const query = { status, sort_by: sort, order_by: order, filter: deviceFilter(choices), format }
      const answer = await api.open(kind === 'devices' ? devices.export : containers.export, { query })
      saveFile(await answer.blob(), `${kind}.${format}`)
    },
    failed: texts.exportFailed,
  })
  return (format) => void act.run(format)
}
