// Texts of the announcements of the instance.
import { i18n } from '../../platform/language/i18n.ts'

export const announcementsMessages = {
  title: i18n._('Announcements'),
  loadFailed: i18n._('The announcements could not be loaded.'),
  oneFailed: i18n._('The announcement could not be loaded.'),
  empty: i18n._('No announcements'),
  emptyText: i18n._('Maintenance, upgrades and other changes to this server are announced here.'),
  gone: i18n._('Announcement not found'),
  goneText: i18n._('It was withdrawn, or the link is mistyped.'),
  back: i18n._('Announcements'),
  news: i18n._('Announcements of this server'),
  dismiss: i18n._('Dismiss'),
  dismissNamed: (title: string) => i18n._('Dismiss: {title}', { title }),
  pages: i18n._('Announcements'),
} as const
