// Opens the command for the selected devices, or for all that match.
import { containers, devices } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { Suspense, lazy, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { useAction } from '../../../core/use-action.ts'
import { pageFile } from '../../../platform/page-files.ts'
import { GatedButton } from '../../../ui/feedback/gated.tsx'
import { notifyFailure } from '../../../ui/feedback/notify.tsx'
import { formatCount } from '../../../ui/text/numbers.ts'
import { commandsMessages as texts } from '../../commands/messages.ts'
import { type DevicesSearch, deviceListOf } from '../search.ts'

const loadDialog = pageFile(() => import('../../commands/run-command.tsx'))
const RunCommand = lazy(async () => ({ default: (await loadDialog()).RunCommand }))

/** The server begins about five sessions a second: those of more devices would take hours. */
const MAX_DEVICES = 20_000

interface RunCommandButtonProps {
  readonly kind: DeviceKind
  readonly search: DevicesSearch
  /** Undefined: all that match. */
  readonly selected: readonly Device[] | undefined
  readonly total: number
  readonly busy: boolean
}

export function RunCommandButton({ kind, search, selected, total, busy }: RunCommandButtonProps) {
  const { api } = useRuntime()
  const [chosen, setChosen] = useState<readonly Device[]>()
  const show = (found: readonly Device[]): void => {
    if (found.some(({ online }) => online)) setChosen(found)
    else notifyFailure({ title: texts.action, error: new Error(texts.noneOnline) })
  }
  const open = useAction({
    async call() {
      if (selected) return show(selected)
      const { status, sort, order, page: _page, perPage: _perPage, ...choices } = deviceListOf(search)
      const query = { status, sort_by: sort, order_by: order, filter: deviceFilter(choices), format: 'jsonl' as const }
      const answer = await api.open(kind === 'devices' ? devices.export : containers.export, { query })
      const lines = (await answer.text()).split('\n').filter((line) => line !== '')
      show(lines.map((line): Device => JSON.parse(line)))
    },
    failed: texts.loadFailed,
  })
  const online = chosen?.filter((device) => device.online) ?? []
  const isAway = selected?.every((device) => !device.online) === true
  return (
    <>
      <GatedButton
        size="compact-sm"
        may={!isAway && total <= MAX_DEVICES}
        why={isAway ? texts.noneOnline : texts.atMost(formatCount(MAX_DEVICES))}
        disabled={busy || open.isPending}
        onClick={() => void open.run()}
      >
        {texts.action}
      </GatedButton>
      {chosen ? (
        <Suspense>
          <RunCommand devices={online} offline={chosen.length - online.length} onClose={() => setChosen(undefined)} />
        </Suspense>
      ) : null}
    </>
  )
}
