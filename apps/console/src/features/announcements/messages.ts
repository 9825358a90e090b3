// Texts of the announcements of the instance.
export const announcementsMessages = {
  title: 'Announcements',
  loadFailed: 'The announcements could not be loaded.',
  oneFailed: 'The announcement could not be loaded.',
  empty: 'No announcements',
  emptyText: 'The operator of this server announces plans here: maintenance, new versions, changes.',
  gone: 'Announcement not found',
  goneText: 'It was withdrawn, or the link is mistyped.',
  back: 'Announcements',
  news: 'News of this server',
  dismiss: 'Dismiss',
  dismissNamed: (title: string) => `Dismiss: ${title}`,
  pages: 'Announcements',
} as const
