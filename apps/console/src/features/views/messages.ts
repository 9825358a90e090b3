// Texts of saved views.
import { i18n } from '../../platform/language/i18n.ts'

export const viewsMessages = {
  views: i18n._('Views'),
  own: i18n._('Your views'),
  shared: i18n._('Shared views'),
  none: i18n._('No saved views yet'),
  save: i18n._('Save this view …'),
  saveTitle: i18n._('Save view'),
  saveAction: i18n._('Save view'),
  hint: i18n._('Saves the filters, sort order, columns and page size.'),
  labels: { name: i18n._('Name'), shared: i18n._('Share with everyone in this namespace') },
  taken: { name: i18n._('A view with this name already exists. Choose another one.') },
  saved: (name: string) => i18n._('View “{name}” saved.', { name }),
  saveFailed: i18n._('The view was not saved'),
  removed: (name: string) => i18n._('View “{name}” deleted.', { name }),
  removeFailed: (name: string) => i18n._('View “{name}” could not be deleted', { name }),
  remove: (name: string) => i18n._('Delete view {name}', { name }),
} as const
