// Announcements of the instance.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { ROW_IDS, Time } from './common.ts'

export const AnnouncementTitle = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(LIMITS.announcementTitle, `must have at most ${LIMITS.announcementTitle} characters`)

/** Markdown. */
export const AnnouncementContent = z
  .string()
  .max(LIMITS.announcementContent, `must have at most ${LIMITS.announcementContent} characters`)

export const AnnouncementId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID')
  .register(ROW_IDS, { noun: 'The announcement' })

export const AnnouncementShort = z
  .object({ uuid: z.string(), title: z.string(), date: Time })
  .meta({ id: 'AnnouncementShort' })
export type AnnouncementShort = z.infer<typeof AnnouncementShort>

/** `content` is Markdown. */
export const Announcement = AnnouncementShort.extend({ content: z.string() }).meta({ id: 'Announcement' })
export type Announcement = z.infer<typeof Announcement>

export const ANNOUNCEMENT_STATES = ['scheduled', 'shown', 'ended'] as const

/** An announcement as its authors see it. `date`: from when it is shown. */
export const ManagedAnnouncement = Announcement.extend({
  /** From then on it is no longer shown; null: shown until it is removed. */
  ends_at: Time.nullable(),
  state: z.enum(ANNOUNCEMENT_STATES),
}).meta({ id: 'ManagedAnnouncement' })
export type ManagedAnnouncement = z.infer<typeof ManagedAnnouncement>

const Moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-23T12:00:00Z' })

/** Fields of an announcement. Absent when it is made: shown at once, and until it is removed. */
export const AnnouncementFields = z.object({
  title: AnnouncementTitle,
  content: AnnouncementContent,
  date: Moment.optional(),
  ends_at: Moment.nullable().optional(),
})
export type AnnouncementFields = z.infer<typeof AnnouncementFields>

export const AnnouncementChange = AnnouncementFields.partial()
export type AnnouncementChange = z.infer<typeof AnnouncementChange>
