// What members of a namespace see of the server's administration in their log.

/**
 * Actions of administrators of the server in the log of a namespace. Its members see that the server's administration did
 * it, not who of them and from where; the log of the instance tells that.
 */
export const SERVER_ACTIONS: readonly string[] = [
  'namespace.disable',
  'namespace.enable',
  'namespace.limit',
  'namespace.hand-over',
  'namespace.undelete',
]

/** Actor of those actions, as members see it. */
export const SERVER_ADMINISTRATION = 'server administration'
