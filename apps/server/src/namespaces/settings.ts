// Settings of namespaces, with the defaults of those that a row does not have.
import { LIMITS } from '@bowline/contract/limits'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { NamespaceRow } from './store.ts'

/** Settings of the second factor on the ssh path. */
export const FACTOR_SETTINGS = [
  'ssh_second_factor',
  'ssh_second_factor_hours',
  'ssh_second_factor_service_keys',
] as const satisfies readonly (keyof Namespace['settings'])[]

/** Settings of what sessions may do and of what they leave behind: one who misuses a login would change them first. */
export const SESSION_SETTINGS = [
  'session_record',
  'end_disallowed_sessions',
  'forwarding',
  'forwarding_unrecorded',
  'joining',
  'access_requests',
  'access_request_hours',
  'recording_policy',
  'recording_retention_days',
] as const satisfies readonly (keyof Namespace['settings'])[]

/** By default sessions go on unrecorded where they must, recordings are kept for ever, and logins need no second factor. */
export function settingsOf({ session_record, connection_announcement, settings }: SettingsRow): Namespace['settings'] {
  const days = settings['recording_retention_days']
  const accessHours = settings['access_request_hours']
  const hours = settings['ssh_second_factor_hours']
  return {
    session_record,
    connection_announcement,
    end_disallowed_sessions: settings['end_disallowed_sessions'] !== false,
    forwarding: settings['forwarding'] !== false,
    joining: settings['joining'] !== false,
    access_requests: settings['access_requests'] !== false,
    access_request_hours: typeof accessHours === 'number' ? accessHours : LIMITS.accessRequests.hours.default,
    forwarding_unrecorded: settings['forwarding_unrecorded'] === true,
    recording_policy: settings['recording_policy'] === 'required' ? 'required' : 'best-effort',
    recording_retention_days: typeof days === 'number' ? days : 0,
    ssh_second_factor: settings['ssh_second_factor'] === true,
    ssh_second_factor_hours: typeof hours === 'number' ? hours : LIMITS.sshFactorHours.default,
    ssh_second_factor_service_keys: settings['ssh_second_factor_service_keys'] === true,
  }
}

type SettingsRow = Pick<NamespaceRow, 'session_record' | 'connection_announcement' | 'settings'>
