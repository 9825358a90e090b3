// Announcements.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Announcement, AnnouncementShort } from '../schemas/announcement.ts'
import { Page } from '../schemas/common.ts'

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
}
