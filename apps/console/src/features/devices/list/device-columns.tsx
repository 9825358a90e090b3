// Columns of the device lists: all that can be shown, and those that each tab shows at first.
import type { Device } from '@bowline/contract/schemas/device'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { LastSeen } from '../../../core/devices/last-seen.tsx'
import { useIsInGrace } from '../../../core/grace.ts'
import { lazyPart } from '../../../platform/lazy-part.tsx'
import { pageFile } from '../../../platform/page-files.ts'
import type { Column } from '../../../ui/list/data-table.tsx'
import { uiMessages } from '../../../ui/messages.ts'
import { StatusDot } from '../../../ui/text/status-dot.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { TIME_WIDTH } from '../../../ui/text/time-style.ts'
import type { Measure } from '../../health/messages.ts'
import { TroubleMarks } from '../../health/trouble-marks.tsx'
import { formatMeasure } from '../../health/values.ts'
import { devicesMessages as texts } from '../messages.ts'
import { DeviceTagChips } from './tag-chips.tsx'
import type { DeviceTab } from '../search.ts'
import cells from '../../../ui/list/cells.module.css'
import classes from '../devices.module.css'

const { columns } = texts
/** Few lists show it, and it computes. */
const KeyCell = lazyPart(
  pageFile(() => import('./key-cell.tsx')),
  (module) => module.KeyCell,
)
const line = (text: string | undefined) => (
  <span className={cells['line']} title={text}>
    {text}
  </span>
)

/** Gives way to the columns beside it: those of every language fit at 1,280 pixels. */
const fit = (text: string | undefined) => (
  <span className={`${cells['fit']} ${classes['fit']}`} title={text}>
    {text}
  </span>
)

function measured(id: 'disk' | 'memory' | 'load' | 'latency', measure: Exclude<Measure, 'cpu'>): Column<Device> {
  return {
    id,
    header: columns[id],
    sortBy: id,
    cell: ({ health }) => {
      const value = health?.[measure]
      return value === undefined || value === null ? null : whole(formatMeasure(measure, value))
    },
  }
}

/** In the order in which they are shown. The first one is always visible. */
export const DEVICE_COLUMNS: readonly Column<Device>[] = [
  {
    id: 'name',
    header: columns.name,
    sortBy: 'name',
    cell: (device) => (
      <Name uid={device.uid}>
        {device.status === 'accepted' ? (
          <StatusDot on={device.online} label={device.online ? uiMessages.online : uiMessages.offline} />
        ) : null}
        {device.status === 'removed' ? (
          line(device.name)
        ) : (
          <Link to="/devices/$uid" params={{ uid: device.uid }} className={cells['primaryLine']} title={device.name}>
            {device.name}
          </Link>
        )}
      </Name>
    ),
  },
  { id: 'mac', header: columns.identity, sortBy: 'mac', cell: ({ identity }) => whole(identity?.mac) },
  { id: 'tags', header: columns.tags, cell: (device) => <DeviceTagChips tags={device.tags} /> },
  { id: 'system', header: columns.system, sortBy: 'system', cell: ({ info }) => fit(info?.pretty_name) },
  { id: 'arch', header: columns.arch, sortBy: 'arch', cell: ({ info }) => line(info?.arch) },
  { id: 'version', header: columns.version, sortBy: 'version', cell: ({ info }) => line(info?.version) },
  { id: 'address', header: columns.address, sortBy: 'address', cell: (device) => whole(device.remote_addr) },
  {
    id: 'health',
    header: columns.health,
    cell: ({ health }) => (health?.state === 'reported' ? <TroubleMarks troubles={health.troubles} /> : null),
  },
  measured('disk', 'disk'),
  measured('memory', 'memory'),
  measured('load', 'load'),
  measured('latency', 'latency_ms'),
  {
    id: 'booted',
    header: columns.booted,
    sortBy: 'booted_at',
    width: '8rem',
    cell: ({ health }) => (health?.booted_at ? <TimeAgo time={health.booted_at} /> : null),
  },
  { id: 'note', header: columns.note, cell: ({ note }) => line(note.split('\n', 1)[0]) },
  { id: 'fields', header: columns.fields, cell: ({ fields }) => line(fieldsLine(fields)) },
  { id: 'uid', header: columns.uid, cell: ({ uid }) => <span title={uid}>{whole(`${uid.slice(0, 12)}…`)}</span> },
  {
    id: 'key',
    header: columns.key,
    cell: ({ public_key: key }) => (
      <Suspense>
        <KeyCell publicKey={key} />
      </Suspense>
    ),
  },
  {
    id: 'created',
    header: columns.requested,
    sortBy: 'created_at',
    width: '8rem',
    cell: (device) => <TimeAgo time={device.created_at} />,
  },
  {
    id: 'last-seen',
    header: columns.lastSeen,
    sortBy: 'last_seen',
    width: TIME_WIDTH,
    cell: (device) => <LastSeen device={device} />,
  },
  {
    id: 'changed',
    header: columns.removed,
    sortBy: 'status_updated_at',
    width: '8rem',
    cell: (device) => <TimeAgo time={device.status_updated_at} />,
  },
]

export const DEFAULT_COLUMNS: Readonly<Record<DeviceTab, readonly string[]>> = {
  accepted: ['name', 'tags', 'system', 'version', 'address', 'last-seen'],
  pending: ['name', 'mac', 'system', 'arch', 'address', 'created'],
  rejected: ['name', 'mac', 'system', 'arch', 'address', 'created'],
  removed: ['name', 'mac', 'system', 'address', 'changed'],
}

function whole(text: string | undefined) {
  return <span className={cells['whole']}>{text}</span>
}

function fieldsLine(fields: Device['fields']): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
}

/** Struck through while the device is about to be removed. */
function Name({ uid, children }: { readonly uid: string; readonly children: ReactNode }) {
  const isLeaving = useIsInGrace(uid)
  return (
    <span className={classes['name']} data-leaving={isLeaving || undefined}>
      {children}
    </span>
  )
}
