// Search strings of the pages that mails link to.
import { z } from 'zod'

const text = z.string().min(1).max(512).optional().catch(undefined)

/** Link of an invitation; the first form of the tenant is older. */
export const InvitationSearch = z.object({
  tenantid: text,
  'tenant-id': text,
  'user-id': text,
  sig: text,
  email: text,
})
export type InvitationSearch = z.infer<typeof InvitationSearch>

/** A complete link of an invitation. */
export interface InvitationLink {
  readonly tenant: string
  readonly user: string
  readonly sig: string
  readonly email: string
}

/** @returns undefined when a part is missing */
export function linkOf(search: InvitationSearch): InvitationLink | undefined {
  const { 'tenant-id': tenant = search.tenantid, 'user-id': user, sig, email } = search
  return tenant && user && sig && email ? { tenant, user, sig, email } : undefined
}

/** Path and query of the page that an invitation leads to. */
export function hrefOf(link: InvitationLink): string {
  return `/accept-invite?${new URLSearchParams(Object.entries(searchOf(link))).toString()}`
}

/** The search string of a link. */
export function searchOf({ tenant, user, sig, email }: InvitationLink) {
  return { 'tenant-id': tenant, 'user-id': user, sig, email }
}
