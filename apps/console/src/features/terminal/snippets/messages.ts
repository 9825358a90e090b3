// Texts of the snippets.
import { i18n } from '../../../platform/language/i18n.ts'

export const snippetMessages = {
  title: i18n._('Snippets'),
  hint: i18n._('Your own snippets are kept in this browser, for you only. Press Enter to insert the selected one.'),
  search: i18n._('Search snippets'),
  none: i18n._('No snippets yet'),
  noMatch: i18n._('No matches'),
  list: i18n._('Snippets'),
  runs: i18n._('runs at once'),
  sharedBy: (name: string) => i18n._('shared by {name}', { name }),
  ofNamespace: i18n._('Snippets of the namespace'),
  add: i18n._('New snippet'),
  edit: (name: string) => i18n._('Edit {name}', { name }),
  remove: (name: string) => i18n._('Remove {name}', { name }),
  name: i18n._('Name'),
  nameRequired: i18n._('Enter a name.'),
  text: i18n._('Text'),
  textRequired: i18n._('Enter the text to insert.'),
  run: i18n._('Run at once'),
  runHint: i18n._('Presses Enter after the text.'),
  save: i18n._('Save'),
  back: i18n._('Back'),
  full: i18n._('There are 200 snippets already. Remove one first.'),
} as const
