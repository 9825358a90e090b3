// Announcements.
import * as z from 'zod'
import { operation } from '../operation.ts'
import {
  Announcement,
  AnnouncementChange,
  AnnouncementFields,
  AnnouncementId,
  AnnouncementShort,
  ManagedAnnouncement,
} from '../schemas/announcement.ts'
import { Page } from '../schemas/common.ts'

const access = { kind: 'instance-admin' } as const
/** The longest content with every character escaped. */
const bodyBytes = 131_072
const params = z.object({ uuid: AnnouncementId })

export const announcements = {
  list: operation({
    method: 'GET',
    path: '/api/announcements',
    noun: 'announcements',
    summary: 'Announcements by date',
    access: { kind: 'public' },
    query: Page.extend({ order_by: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc') }),
    response: z.array(AnnouncementShort),
    total: true,
  }),
  get: operation({
    method: 'GET',
    path: '/api/announcements/{uuid}',
    noun: 'announcements',
    summary: 'One announcement',
    access: { kind: 'public' },
    params: z.object({ uuid: z.string().max(64) }),
    response: Announcement,
    errors: ['NOT_FOUND'],
  }),
  unread: operation({
    method: 'GET',
    path: '/api/announcements/unread',
    noun: 'announcements',
    summary: 'The newest announcement, until the person has seen it: a list of one or none',
    access: { kind: 'user' },
    response: z.array(AnnouncementShort),
  }),
  markRead: operation({
    method: 'POST',
    path: '/api/announcements/{uuid}/read',
    noun: 'announcements',
    summary: 'Say that the person has seen an announcement',
    access: { kind: 'user' },
    params,
    errors: ['NOT_FOUND'],
  }),
  listAll: operation({
    method: 'GET',
    path: '/api/announcements/all',
    noun: 'announcements',
    summary: 'All announcements with their contents, also those that are scheduled or have ended; the newest first',
    access,
    query: Page,
    response: z.array(ManagedAnnouncement),
    total: true,
  }),
  create: operation({
    method: 'POST',
    path: '/api/announcements',
    noun: 'announcements',
    summary: 'Announce something to everybody, now or later',
    access,
    body: AnnouncementFields,
    bodyBytes,
    response: ManagedAnnouncement,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/announcements/{uuid}',
    noun: 'announcements',
    summary: 'Change an announcement; people who have seen it do not see it again',
    access,
    params,
    body: AnnouncementChange,
    bodyBytes,
    response: ManagedAnnouncement,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/announcements/{uuid}',
    noun: 'announcements',
    summary: 'Remove an announcement',
    access,
    params,
    errors: ['NOT_FOUND'],
  }),
}
