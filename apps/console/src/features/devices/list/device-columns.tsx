// Columns of the device lists, by tab.
import type { Device } from '@bowline/contract/schemas/device'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../../ui/list/data-table.tsx'
import { uiMessages } from '../../../ui/messages.ts'
import { StatusDot } from '../../../ui/text/status-dot.tsx'
import { TimeAgo } from '../../../ui/text/time-ago.tsx'
import { DeviceSystem } from '../device-system.tsx'
import { devicesMessages as texts } from '../messages.ts'
import type { DeviceTab } from './search.ts'
import { SshLine } from '../ssh-line.tsx'
import cells from '../../../ui/list/cells.module.css'
import classes from '../devices.module.css'

const name: Column<Device> = {
  id: 'name',
  header: texts.columns.name,
  sortBy: 'name',
  cell: (device) => (
    <span className={classes['name']}>
      {device.status === 'accepted' ? (
        <StatusDot on={device.online} label={device.online ? uiMessages.online : uiMessages.offline} />
      ) : null}
      {device.status === 'removed' ? (
        device.name
      ) : (
        <Link to="/devices/$uid" params={{ uid: device.uid }} className={cells['primary']}>
          {device.name}
        </Link>
      )}
    </span>
  ),
}
const system: Column<Device> = {
  id: 'system',
  header: texts.columns.system,
  cell: (device) => <DeviceSystem device={device} />,
  wideOnly: true,
}
const address: Column<Device> = {
  id: 'address',
  header: texts.columns.address,
  cell: (device) => <span className={cells['whole']}>{device.remote_addr}</span>,
}
const identity: Column<Device> = {
  id: 'identity',
  header: texts.columns.identity,
  cell: (device) => <span className={cells['whole']}>{device.identity?.mac}</span>,
}
const ssh: Column<Device> = {
  id: 'ssh',
  header: texts.columns.ssh,
  cell: (device) => <SshLine device={device} />,
  block: true,
}
const lastSeen: Column<Device> = {
  id: 'last-seen',
  header: texts.columns.lastSeen,
  sortBy: 'last_seen',
  width: '8rem',
  cell: (device) => <TimeAgo time={device.last_seen} />,
}
const requested: Column<Device> = {
  id: 'requested',
  header: texts.columns.requested,
  sortBy: 'created_at',
  width: '8rem',
  cell: (device) => <TimeAgo time={device.created_at} />,
}

const removed: Column<Device> = {
  id: 'removed',
  header: texts.columns.removed,
  sortBy: 'status_updated_at',
  width: '8rem',
  cell: (device) => <TimeAgo time={device.status_updated_at} />,
}

export const DEVICE_COLUMNS: Readonly<Record<DeviceTab, readonly Column<Device>[]>> = {
  accepted: [name, ssh, system, address, lastSeen],
  pending: [name, identity, system, address, requested],
  rejected: [name, identity, system, address, requested],
  removed: [name, identity, system, address, removed],
}
