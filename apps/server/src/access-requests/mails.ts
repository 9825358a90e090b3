// Mails about access requests: to whoever may decide them, and to the person who asked.
import { PERMISSIONS } from '@bowline/contract/roles'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import { placeOf } from './requests.ts'
import { type RequestRow, listPeople } from './store.ts'

/** Dependencies of mails about access requests. */
export interface AccessMails {
  /** System connection: accounts of people. */
  readonly system: Kysely<Schema>
  readonly mails: Pick<MailQueue, 'add' | 'link'>
  /** Name of an open namespace. */
  readonly nameOf: (tenant: TenantContext['tenant']) => Promise<string | undefined>
}

/** Approvers who get a mail. */
const MAX_MAILED = 20

/** Writes a mail to those who may decide the request. A failure is logged: the console shows the request as well. */
export async function tellApprovers(deps: AccessMails, ctx: TenantContext, row: RequestRow): Promise<void> {
  await quietly(
    ctx,
    row,
    async (namespace) => {
      const roles = PERMISSIONS.firewallEdit
      const who = { tenant: ctx.tenant, roles, ...(row.user_id === null ? {} : { except: row.user_id }) }
      const people = await listPeople(deps.system, { ...who, limit: MAX_MAILED })
      const link = deps.mails.link('/access-requests')
      const shared = { namespace, requester: row.user_name, place: placeOf(row), accounts: row.accounts.join(', ') }
      for (const { id, email, name, username } of people) {
        await deps.mails.add(deps.system, {
          kind: 'access-requested',
          to: email,
          user: id,
          namespace: ctx.tenant,
          source: ctx.source,
          values: { name: name || username || '', ...shared, minutes: row.minutes, reason: row.reason, link },
        })
      }
    },
    deps,
  )
}

/** Writes a mail to the requester about a decision, or about the early end of the access. */
export async function tellRequester(deps: AccessMails, ctx: TenantContext, row: RequestRow): Promise<void> {
  const person = row.user_id
  if (person === null) return
  await quietly(
    ctx,
    row,
    async (namespace) => {
      const people = await listPeople(deps.system, { tenant: ctx.tenant, only: person, limit: 1 })
      const outcome = row.state === 'approved' ? 'approved' : row.state === 'denied' ? 'denied' : 'ended'
      for (const { id, email, name, username } of people) {
        await deps.mails.add(deps.system, {
          kind: 'access-decided',
          to: email,
          user: id,
          namespace: ctx.tenant,
          source: ctx.source,
          values: {
            name: name || username || '',
            namespace,
            outcome,
            by: (outcome === 'ended' ? row.ended_by_name : row.decided_by_name) ?? '',
            place: placeOf(row),
            accounts: row.accounts.join(', '),
            until: outcome === 'approved' ? (row.expires_at?.toISOString() ?? '') : '',
            note: row.note,
            link: deps.mails.link('/access-requests'),
          },
        })
      }
    },
    deps,
  )
}

async function quietly(
  ctx: TenantContext,
  { id }: RequestRow,
  write: (namespace: string) => Promise<void>,
  { nameOf }: Pick<AccessMails, 'nameOf'>,
): Promise<void> {
  try {
    await write((await nameOf(ctx.tenant)) ?? '')
  } catch (error) {
    ctx.log.error('access-request.mail', { request: id, err: error })
  }
}
