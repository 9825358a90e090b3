// Settings of namespaces as expressions of SQL, for statements that have the table `namespaces`.
import { LIMITS } from '@bowline/contract/limits'
import { sql } from 'kysely'

/** Hours for which members may ask for access; null where they may not. */
export const accessRequestHours = sql<number | null>`case
  when coalesce((namespaces.settings ->> 'access_requests')::boolean, true)
  then coalesce((namespaces.settings ->> 'access_request_hours')::integer,
    ${LIMITS.accessRequests.hours.default}::integer) end`

/** Hours for which a proof of the second factor lets logins pass; null where the namespace asks for none. */
export const factorHours = sql<number | null>`case when (namespaces.settings ->> 'ssh_second_factor')::boolean
  then coalesce((namespaces.settings ->> 'ssh_second_factor_hours')::integer, ${LIMITS.sshFactorHours.default}::integer) end`
