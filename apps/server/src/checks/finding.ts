// A finding of `bowline doctor`.

export interface Finding {
  /** Subject of the check: `database`, `SSH port`. */
  readonly check: string
  /** warn: the server starts but is degraded. fail: it does not start or cannot work. */
  readonly status: 'ok' | 'warn' | 'fail'
  /** One sentence. */
  readonly message: string
  /** Suggested action; '' for none. */
  readonly remedy: string
}

export function finding(check: string, status: Finding['status'], message: string, remedy = ''): Finding {
  return { check, status, message, remedy }
}

/** Cause of a failure, as a sentence. */
export function reason(error: unknown): string {
  const text = error instanceof Error && error.message !== '' ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `${text}${code === '' || text.includes(code) ? '' : ` (${code})`}`.replace(/([^.!?])$/, '$1.')
}
