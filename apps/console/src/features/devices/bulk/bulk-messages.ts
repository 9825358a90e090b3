// Texts of bulk actions; kept out of the first page's bundle.
import { formatCount } from '../../../ui/text/numbers.ts'

const devices = (count: number): string => (count === 1 ? '1 device' : `${formatCount(count)} devices`)

export const bulkMessages = {
  label: 'Selected devices',
  selected: (count: number) => `${devices(count)} selected`,
  selectAllMatching: (total: string) => `Select all ${total} matching devices`,
  allSelected: (total: string) => `All ${total} matching devices selected`,
  progress: (done: number, total: number) => `${done} of ${total} done`,
  clear: 'Clear',
  replacing: 'Some of these devices would replace an accepted one. Accept those one at a time and compare their keys.',
  accepted: (count: number) => `${devices(count)} accepted.`,
  rejected: (count: number) => `${devices(count)} rejected.`,
  removed: (count: number) => `${devices(count)} removed.`,
  tagged: (count: number) => `Tags added to ${devices(count)}.`,
  failed: (failed: number, total: number) => `${failed} of ${devices(total)} failed`,
  removeTitle: (count: number) => `Remove ${devices(count)}?`,
  connect: 'Open terminals',
  connectAtMost: (most: number) => `Terminals can be opened on up to ${most} devices at once.`,
  tag: 'Add tags',
  tagTitle: (count: number) => `Add tags to ${devices(count)}`,
  untag: 'Remove tags',
  untagTitle: (count: number) => `Remove tags from ${devices(count)}`,
  untagText: 'Devices without these tags are left unchanged.',
  untagged: (count: number) => `Tags removed from ${devices(count)}.`,
  tagText: 'Existing tags are kept. A device can have up to 3 tags.',
  decideTitles: {
    accept: (count: string) => `Accept ${count} devices?`,
    reject: (count: string) => `Reject ${count} devices?`,
  },
  decideTexts: {
    accept:
      'Accepted devices become reachable over SSH. Devices that would replace an accepted one are skipped: accept those one at a time.',
    reject: 'Rejected devices are not reachable. You can undo this.',
  },
  jobTitles: {
    accept: (total: string) => `Accepting ${total} devices`,
    reject: (total: string) => `Rejecting ${total} devices`,
    tag: (total: string) => `Adding tags to ${total} devices`,
    untag: (total: string) => `Removing tags from ${total} devices`,
    remove: (total: string) => `Removing ${total} devices`,
    undo: (total: string) => `Undoing changes to ${total} devices`,
  },
  progressLabel: 'Progress',
  jobRunning: (settled: string, total: string) => `${settled} of ${total} devices processed`,
  jobEnded: {
    done: (done: string, failed: string) => `Finished: ${done} succeeded, ${failed} failed.`,
    stopped: (done: string, failed: string) => `Stopped: ${done} succeeded, ${failed} failed.`,
  },
  failuresLabel: 'Failures by cause',
  failedCount: (count: string) => `${count} failed`,
  andMore: (count: string) => ` and ${count} more`,
  jobGoesOn: 'This runs on the server. You can close this window.',
  jobFailed: 'The change was not started',
  undoFailed: 'The change could not be undone',
  stop: 'Stop',
  stopFailed: 'The change could not be stopped',
} as const
