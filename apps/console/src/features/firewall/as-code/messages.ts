// Texts of the firewall rules as JSON.
import { i18n } from '../../../platform/language/i18n.ts'

export const fileMessages = {
  title: i18n._('Rules as JSON'),
  intro: i18n._(
    'All rules, first evaluated first, in the format of “bowline firewall list --json”. Keep them in a repository, edit them here or open a file: rules that are missing are removed, and rules without an id are added.',
  ),
  label: i18n._('Rules'),
  what: i18n._('the rules'),
  open: i18n._('Open a file'),
  download: i18n._('Download'),
  review: i18n._('Review changes'),
  apply: (count: number) => i18n._('Apply {count, plural, one {# change} other {# changes}}', { count }),
  cancel: i18n._('Cancel'),
  same: i18n._('These are the present rules: there is nothing to change.'),
  changes: i18n._('Changes'),
  kinds: { add: i18n._('Add'), replace: i18n._('Change'), remove: i18n._('Remove') },
  notJson: i18n._('This is not valid JSON.'),
  notJsonAt: (line: string) => i18n._('This is not valid JSON; see line {line}.', { line }),
  notList: i18n._('This must be a list of rules.'),
  flaw: (rule: number, field: string, flaw: string) => i18n._('Rule {rule}: {field} {flaw}.', { rule, field, flaw }),
  unknown: (id: number) => i18n._('There is no rule with the id {id}; leave the id out to add a rule.', { id }),
  twice: (id: number) => i18n._('Two rules have the id {id}.', { id }),
  applied: (count: number) => i18n._('{count, plural, one {# change} other {# changes}} applied.', { count }),
  failed: (done: number, all: number) => i18n._('{done} of {all} changes applied', { done, all }),
} as const
