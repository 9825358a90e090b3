// Texts of the firewall rules as JSON.
import { i18n } from '../../../platform/language/i18n.ts'
import { formatCount } from '../../../ui/text/numbers.ts'

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
  same: i18n._('These are the current rules: nothing to change.'),
  changes: i18n._('Changes'),
  kinds: { add: i18n._('Add'), replace: i18n._('Change'), remove: i18n._('Remove') },
  notJson: (line: number, column: number) =>
    i18n._('This is not valid JSON: see line {line}, column {column}.', { line: String(line), column: String(column) }),
  endsEarly: (line: number) =>
    i18n._('This is not valid JSON: it ends in line {line}, before everything is closed.', { line: String(line) }),
  empty: i18n._('The text is empty. For no rules at all, write an empty list: [].'),
  notList: i18n._('This must be a list of rules, in square brackets.'),
  flaws: {
    field: (rule: number, field: string, flaw: string) => i18n._('Rule {rule}: {field} {flaw}.', { rule, field, flaw }),
    rule: (rule: number, flaw: string) => i18n._('Rule {rule} {flaw}.', { rule, flaw }),
    all: (flaw: string) => i18n._('The list of rules {flaw}.', { flaw }),
    entry: (field: string, entry: number) => i18n._('{field}, entry {entry},', { field, entry }),
    unknown: (rule: number, field: string, fields: string) =>
      i18n._('Rule {rule}: there is no field {field}. The fields are {fields}.', { rule, field, fields }),
    missing: i18n._('is missing'),
    oneOf: (values: string, not: string) => i18n._('must be {values}, not {not}', { values, not }),
    notNumber: i18n._('must be a number'),
    wrong: i18n._('has a value that it cannot have'),
    /** By the type that the schema names. */
    types: (not: string): Readonly<Record<string, string>> => ({
      string: i18n._('must be a text in quotation marks, not {not}', { not }),
      number: i18n._('must be a number, not {not}', { not }),
      int: i18n._('must be a whole number, not {not}', { not }),
      boolean: i18n._('must be true or false, without quotation marks, not {not}', { not }),
      array: i18n._('must be a list in square brackets, not {not}', { not }),
      object: i18n._('must be an object in braces, not {not}', { not }),
    }),
    /** By what the schema limits. */
    atMost: (count: number): Readonly<Record<string, string>> => ({
      string: i18n._('must have at most {count, plural, one {# character} other {# characters}}', { count }),
      array: i18n._('must have at most {count, plural, one {# entry} other {# entries}}', { count }),
      number: i18n._('must be at most {limit}', { limit: formatCount(count) }),
      int: i18n._('must be at most {limit}', { limit: formatCount(count) }),
    }),
    atLeast: (count: number): Readonly<Record<string, string>> => ({
      string: i18n._('must have at least {count, plural, one {# character} other {# characters}}', { count }),
      array: i18n._('must have at least {count, plural, one {# entry} other {# entries}}', { count }),
      number: i18n._('must be at least {limit}', { limit: formatCount(count) }),
      int: i18n._('must be at least {limit}', { limit: formatCount(count) }),
    }),
  },
  unknown: (id: number) => i18n._('There is no rule with the id {id}; leave the id out to add a rule.', { id }),
  twice: (id: number) => i18n._('Two rules have the id {id}.', { id }),
  applied: (count: number) => i18n._('{count, plural, one {# change} other {# changes}} applied.', { count }),
  failed: (done: number, all: number) => i18n._('{done} of {all} changes applied', { done, all }),
} as const
