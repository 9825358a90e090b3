// Texts of changes of many devices, which the server does.
import { i18n } from '../../../platform/language/i18n.ts'

export const jobMessages = {
  titles: {
    accept: (total: number) => i18n._('Accepting {total, plural, one {# device} other {# devices}}', { total }),
    reject: (total: number) => i18n._('Rejecting {total, plural, one {# device} other {# devices}}', { total }),
    tag: (total: number) => i18n._('Adding tags to {total, plural, one {# device} other {# devices}}', { total }),
    untag: (total: number) => i18n._('Removing tags from {total, plural, one {# device} other {# devices}}', { total }),
    remove: (total: number) => i18n._('Removing {total, plural, one {# device} other {# devices}}', { total }),
    undo: (total: number) => i18n._('Undoing changes to {total, plural, one {# device} other {# devices}}', { total }),
  },
  /** Results with the number of devices changed: titles, and sentences with `sentence`. */
  results: {
    accept: (count: number) => i18n._('{count, plural, one {# device} other {# devices}} accepted', { count }),
    reject: (count: number) => i18n._('{count, plural, one {# device} other {# devices}} rejected', { count }),
    remove: (count: number) => i18n._('{count, plural, one {# device} other {# devices}} removed', { count }),
    tag: (count: number) => i18n._('Tags added to {count, plural, one {# device} other {# devices}}', { count }),
    untag: (count: number) => i18n._('Tags removed from {count, plural, one {# device} other {# devices}}', { count }),
    undo: (count: number) => i18n._('Changes to {count, plural, one {# device} other {# devices}} undone', { count }),
  },
  sentence: (text: string) => `${text}.`,
  /** In the side bar. */
  short: {
    accept: i18n._('Accepting devices'),
    reject: i18n._('Rejecting devices'),
    tag: i18n._('Adding tags'),
    untag: i18n._('Removing tags'),
    remove: i18n._('Removing devices'),
    undo: i18n._('Undoing changes'),
  },
  part: (settled: string, total: string) => i18n._('{settled} of {total}', { settled, total }),
  running: i18n._('Running bulk changes'),
  recent: i18n._('Bulk changes'),
  stopped: i18n._('Stopped.'),
  show: i18n._('Show'),
  failedLine: (count: string) => i18n._('{count} failed.', { count }),
  loadFailed: i18n._('The bulk change could not be loaded'),
  progressLabel: i18n._('Progress'),
  jobRunning: (settled: string, total: number) =>
    i18n._('{settled} of {total, plural, one {# device} other {# devices}} processed', { settled, total }),
  jobEnded: {
    done: (done: string, failed: string) => i18n._('Finished: {done} succeeded, {failed} failed.', { done, failed }),
    stopped: (done: string, failed: string, left: string) =>
      i18n._('Stopped: {done} succeeded, {failed} failed, {left} left unchanged.', { done, failed, left }),
  },
  failuresLabel: i18n._('Failures by cause'),
  failedCount: (count: string) => i18n._('{count} failed', { count }),
  andMore: (count: string) => i18n._(' and {count} more', { count }),
  allFailures: {
    show: i18n._('Show all'),
    of: (message: string) => i18n._('Show all devices: {message}', { message }),
    title: i18n._('Failed devices'),
    cause: i18n._('Cause'),
    every: (count: string) => i18n._('All causes ({count})', { count }),
    one: (message: string, count: string) => i18n._('{message} ({count})', { message, count }),
    device: i18n._('Device'),
    back: i18n._('Back'),
    loadFailed: i18n._('The failed devices could not be loaded'),
    exportFailed: i18n._('The failed devices could not be exported'),
    none: i18n._('No failures'),
  },
  jobGoesOn: i18n._('This runs on the server. You can close this window.'),
  retryFailed: i18n._('The change could not be tried again'),
  retry: { done: i18n._('Retry failed'), stopped: i18n._('Continue') },
  undoFailed: i18n._('The change could not be undone'),
  stop: i18n._('Stop'),
  stopFailed: i18n._('The change could not be stopped'),
} as const
