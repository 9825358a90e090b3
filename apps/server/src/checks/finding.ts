// A finding of `bowline check`.

export interface Finding {
  /** What was looked at: `database`, `SSH port`. */
  readonly check: string
  /** warn: the server starts, and something will not be as wanted. fail: it does not start, or cannot do its work. */
  readonly status: 'ok' | 'warn' | 'fail'
  /** A sentence. */
  readonly message: string
  /** What to do; '' where there is nothing to. */
  readonly remedy: string
}

export function finding(check: string, status: Finding['status'], message: string, remedy = ''): Finding {
  return { check, status, message, remedy }
}

/** Why something failed, as a sentence. */
export function reason(error: unknown): string {
  const text = error instanceof Error && error.message !== '' ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `${text}${code === '' || text.includes(code) ? '' : ` (${code})`}`.replace(/([^.!?])$/, '$1.')
}
