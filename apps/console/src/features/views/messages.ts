// Texts of saved views.
export const viewsMessages = {
  views: 'Views',
  own: 'Your views',
  shared: 'Shared views',
  none: 'No saved views yet',
  save: 'Save this view …',
  saveTitle: 'Save view',
  saveAction: 'Save view',
  hint: 'Saves the filters, sort order, columns and page size.',
  labels: { name: 'Name', shared: 'Share with everyone in this namespace' },
  saved: (name: string) => `View “${name}” saved.`,
  saveFailed: 'The view was not saved',
  removed: (name: string) => `View “${name}” deleted.`,
  removeFailed: (name: string) => `View “${name}” could not be deleted`,
  remove: (name: string) => `Delete view ${name}`,
} as const
