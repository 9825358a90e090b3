// Problem documents of an ACME server (RFC 8555 section 6.7, RFC 7807).

/** Its texts come from a stranger and are shown to people. */
const MAX_DETAIL = 400

export class AcmeError extends Error {
  /** Last part of the problem's type, such as `rateLimited`; '' without one. */
  readonly type: string
  /** `Retry-After` of the authority, in milliseconds; 0 without one. */
  readonly waitMs: number
  /** True if the authority has answered so: it counts such failures. */
  readonly isRefusal: boolean

  constructor(message: string, refusal?: { readonly type: string; readonly waitMs: number }) {
    super(message)
    this.name = 'AcmeError'
    this.type = refusal?.type ?? ''
    this.waitMs = refusal?.waitMs ?? 0
    this.isRefusal = refusal !== undefined
  }
}

/**
 * Reads a problem document.
 * @param what what was asked for
 * @param waitMs value of `Retry-After`, in milliseconds
 */
export function problemOf(what: string, status: number, problem: unknown, waitMs = 0): AcmeError {
  const { type, detail, subproblems } = (problem ?? {}) as Record<string, unknown>
  const kind = typeof type === 'string' ? (type.split(':').at(-1) ?? '') : ''
  const parts = [detail, ...(Array.isArray(subproblems) ? subproblems.map(detailOf) : [])]
  const said = printable(parts.filter((part) => typeof part === 'string').join('; '))
  const message = `${what}: ${said || `status ${status}`}${kind && ` (${printable(kind)})`}`
  return new AcmeError(message, { type: kind, waitMs })
}

function detailOf(subproblem: unknown): unknown {
  return (subproblem as { detail?: unknown } | null)?.detail
}

/** On one line and of a bounded length. */
export function printable(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line
}
