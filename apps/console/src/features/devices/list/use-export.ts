// Saves every device that matches as a file.
import { containers, devices } from '@bowline/contract/operations/devices'
import type { ExportFormat } from '@bowline/contract/schemas/common'
import { useRuntime } from '../../../core/context.tsx'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { useListExport } from '../../../core/use-list-export.ts'
import { devicesMessages as texts } from '../messages.ts'
import { type DevicesSearch, deviceListOf } from '../search.ts'

export function useExport(kind: DeviceKind, search: DevicesSearch): (format: ExportFormat) => void {
  const { api } = useRuntime()
  const { status, sort, order, page: _page, perPage: _perPage, ...choices } = deviceListOf(search)
  return useListExport({
    name: kind,
    open(format) {
      const query = { status, sort_by: sort, order_by: order, filter: deviceFilter(choices), format }
      return api.open(kind === 'devices' ? devices.export : containers.export, { query })
    },
    failed: texts.exportFailed,
  })
}
