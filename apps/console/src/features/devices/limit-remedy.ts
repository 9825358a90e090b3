// What lets a device be accepted when the namespace is at its device limit.
import { ApiError } from '@bowline/contract/client'
import { useNavigate } from '@tanstack/react-router'
import { usePerson } from '../../core/context.tsx'
import type { Remedy } from '../../ui/feedback/notify.tsx'
import { devicesMessages as texts } from './messages.ts'

/**
 * Returns the way out of an error of the device limit: a subscription in the cloud, the limit itself for whoever may raise
 * it, and for others the devices that have not been seen for longest.
 */
export function useLimitRemedy(): (error: unknown) => Remedy | undefined {
  const navigate = useNavigate()
  const person = usePerson()
  return (error) => {
    if (!(error instanceof ApiError)) return undefined
    if (error.status === 402) {
      return { label: texts.toBilling, onClick: () => void navigate({ to: '/settings/billing' }) }
    }
    if (error.code !== 'DEVICE_LIMIT') return undefined
    const tenant = person?.tenant
    if (person?.instance_admin === true && tenant) {
      const params = { tenant }
      return {
        label: texts.raiseLimit,
        onClick: () => void navigate({ to: '/instance/namespaces/$tenant', params }),
      }
    }
    const search = { sort: 'last_seen', order: 'asc' } as const
    return { label: texts.chooseDevices, onClick: () => void navigate({ to: '/devices', search }) }
  }
}
