// Announcements of the instance.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { Time } from './common.ts'

export const AnnouncementTitle = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(LIMITS.announcementTitle, `must have at most ${LIMITS.announcementTitle} characters`)

export const AnnouncementShort = z
  .object({ uuid: z.string(), title: z.string(), date: Time })
  .meta({ id: 'AnnouncementShort' })
export type AnnouncementShort = z.infer<typeof AnnouncementShort>

/** `content` is Markdown. */
export const Announcement = AnnouncementShort.extend({ content: z.string() }).meta({ id: 'Announcement' })
export type Announcement = z.infer<typeof Announcement>
