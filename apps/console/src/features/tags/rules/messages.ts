// Texts of tag rules.
import { i18n } from '../../../platform/language/i18n.ts'

export const ruleMessages = {
  title: i18n._('Tag rules'),
  text: i18n._(
    'A rule gives its tag to every device that matches, now and later, and removes it when the device no longer matches. Tags added by people stay.',
  ),
  create: i18n._('Add rule'),
  addTitle: i18n._('Add a tag rule'),
  editTitle: (tag: string) => i18n._('Change the rule for {tag}', { tag }),
  editNamed: (tag: string, query: string) => i18n._('Edit the rule {query} for {tag}', { tag, query }),
  removeNamed: (tag: string, query: string) => i18n._('Delete the rule {query} for {tag}', { tag, query }),
  roleTooLow: i18n._('Only administrators and owners change tag rules: tags decide who may connect.'),
  loadFailed: i18n._('The tag rules could not be loaded.'),
  none: i18n._('No tag rules yet.'),
  labels: { tag: i18n._('Tag'), query: i18n._('Devices that match'), active: i18n._('Active') },
  queryHint: i18n._(
    'As in the search of devices: name:kiosk- arch:arm64 -agent:0.1.0. All words must match. tag: and is: cannot be used.',
  ),
  trust: i18n._(
    'Devices report their names and systems themselves: do not grant access on the strength of a rule alone.',
  ),
  effect: {
    none: i18n._('Matches no device now.'),
    some: (count: number, names: string) =>
      i18n._('Matches {count, plural, one {# device} other {# devices}} now: {names}.', { count, names }),
    more: (count: string) => i18n._('{count} more', { count }),
    show: i18n._('Show in the list'),
    tags: (count: number) => i18n._('Saving tags {count, plural, one {# device} other {# devices}}.', { count }),
    takes: (tag: string, count: number) =>
      i18n._('Saving takes the tag {tag} from {count, plural, one {# device} other {# devices}}.', { tag, count }),
    both: (count: number, tag: string, taken: number) =>
      i18n._(
        'Saving tags {count, plural, one {# device} other {# devices}}, and takes the tag {tag} from {taken, plural, one {# device} other {# devices}}.',
        { count, tag, taken },
      ),
    nothing: i18n._('Saving adds the tag to no device and removes it from none.'),
    failed: (cause: string) => i18n._('No preview: {cause}', { cause }),
  },
  tagged: (tagged: string, matching: number) =>
    i18n._(
      '{matching, plural, one {{tagged} of # matching device has} other {{tagged} of # matching devices have}} the tag',
      { tagged, matching },
    ),
  noRoom: (count: number, most: number) =>
    i18n._('{count, plural, one {# device has} other {# devices have}} {most} tags already', { count, most }),
  off: i18n._('off'),
  progress: (done: string, total: number) =>
    i18n._('Being applied: {done} of {total, plural, one {# device} other {# devices}}', { done, total }),
  save: i18n._('Save'),
  edit: i18n._('Edit'),
  remove: i18n._('Delete rule'),
  addFailed: i18n._('The rule was not added'),
  saveFailed: i18n._('The rule was not changed'),
  added: (tag: string) => i18n._('Rule for {tag} added.', { tag }),
  saved: (tag: string) => i18n._('Rule for {tag} changed.', { tag }),
  removed: (tag: string) => i18n._('Rule for {tag} deleted.', { tag }),
  removeFailed: (tag: string) => i18n._('The rule for {tag} could not be deleted', { tag }),
  removeTitle: (tag: string) => i18n._('Delete the rule for {tag}?', { tag }),
  removeText: i18n._(
    'Devices that got the tag only from this rule lose it, and with it the keys, roles and firewall rules that apply through it.',
  ),
}
