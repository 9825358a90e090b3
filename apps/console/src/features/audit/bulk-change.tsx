// Text of an audit entry about a bulk change.
import { BULK_ACTIONS, type DeviceJob } from '@bowline/contract/operations/fleet/device-jobs'
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../ui/text/numbers.ts'
import { jobMessages } from '../devices/jobs/messages.ts'
import { auditMessages as texts } from './messages.ts'

const ACTIONS: readonly string[] = [...BULK_ACTIONS, 'undo']

/** The change and its devices, such as "Tags added to 12 devices"; undefined for other entries. */
export function describeBulkChange({ action, details }: Pick<AuditEntry, 'action' | 'details'>): string | undefined {
  const { action: change, devices, done, failed } = details
  if (!isAction(change)) return undefined
  if (action === 'device.bulk' && typeof devices === 'number') return jobMessages.titles[change](devices)
  if (action !== 'device.bulk-end') return undefined
  // Whoever stops a change does not wait for the devices under way: there are no numbers then.
  if (typeof done !== 'number') {
    return typeof devices === 'number' ? texts.stopped(jobMessages.titles[change](devices)) : undefined
  }
  const result = jobMessages.results[change](done)
  const failures = typeof failed === 'number' && failed > 0 ? [jobMessages.failedCount(formatCount(failed))] : []
  return [details['state'] === 'stopped' ? texts.stopped(result) : result, ...failures].join(', ')
}

function isAction(value: unknown): value is DeviceJob['action'] {
  return typeof value === 'string' && ACTIONS.includes(value)
}

/** The way to the entries of the devices that a change has changed. */
export function EntriesOfJob({ id }: { readonly id: string }) {
  return (
    <Link to="/audit" search={{ page: 1, job: id }}>
      {texts.entriesOfJob}
    </Link>
  )
}
