// Texts of bulk actions; kept out of the first page's bundle.
import { i18n } from '../../../platform/language/i18n.ts'

export const bulkMessages = {
  label: i18n._('Selected devices'),
  selected: (count: number) => i18n._('{count, plural, one {# device} other {# devices}} selected', { count }),
  selectAllMatching: (total: string) => i18n._('Select all {total} matching devices', { total }),
  allSelected: (total: string) => i18n._('All {total} matching devices selected', { total }),
  progress: (done: number, total: number) => i18n._('{done} of {total} done', { done, total }),
  clear: i18n._('Clear', {}, { context: 'selection' }),
  replacing: i18n._(
    'Some of these devices would replace an accepted one. Accept those one at a time and compare their keys.',
  ),
  failed: (failed: number, total: number) =>
    i18n._('{failed} of {total, plural, one {# device} other {# devices}} failed', { failed, total }),
  removeTitle: (count: number) => i18n._('Remove {count, plural, one {# device} other {# devices}}?', { count }),
  removing: (count: number) =>
    i18n._('{count, plural, one {# device} other {# devices}} will be removed in a few seconds.', { count }),
  removeText: (count: number) =>
    i18n._(
      '{count, plural, one {Its SSH sessions end and their history is deleted. The agent keeps running on the device; to return, it has to register and be accepted again.} other {Their SSH sessions end and their history is deleted. The agents keep running on the devices; to return, they have to register and be accepted again.}}',
      { count },
    ),
  removeAllText: i18n._('You can undo this for a few seconds. Once it has started, you can only stop it.'),
  connect: i18n._('Open terminals'),
  connectAtMost: (most: number) => i18n._('Terminals can be opened on up to {most} devices at once.', { most }),
  tag: i18n._('Add tags'),
  tagTitle: (count: number) => i18n._('Add tags to {count, plural, one {# device} other {# devices}}', { count }),
  untag: i18n._('Remove tags'),
  untagTitle: (count: number) =>
    i18n._('Remove tags from {count, plural, one {# device} other {# devices}}', { count }),
  untagText: i18n._('Devices without these tags are left unchanged.'),
  tagText: i18n._('Existing tags are kept. A device can have up to 3 tags.'),
  decideTitles: {
    accept: (count: number) => i18n._('Accept {count, plural, one {# device} other {# devices}}?', { count }),
    reject: (count: number) => i18n._('Reject {count, plural, one {# device} other {# devices}}?', { count }),
  },
  decideTexts: {
    accept: i18n._(
      'Accepted devices become reachable over SSH; you can undo this for 15 minutes. Devices that would replace an accepted one are skipped: accept those one at a time.',
    ),
    reject: i18n._('Rejected devices are not reachable. You can undo this.'),
  },
  jobFailed: i18n._('The change was not started'),
} as const
