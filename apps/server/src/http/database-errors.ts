// Recognises transient database failures: it is unreachable, overloaded, or two transactions conflicted. Callers get
// 503 and may retry; any other database error is a defect of ours.

/**
 * PostgreSQL's classes 08 (connection) and 53 (resources); of 57 operator intervention, restarts and cancelled
 * statements; of 55 an unavailable lock; of 40 conflicts between two transactions; 23503, because
 * what a row refers to was checked before and is gone only when another call deleted it meanwhile; 25006 from a standby
 * that is not the primary yet.
 */
const SQL_STATES = /^(08...|25006|53...|55P03|57014|57P0[1-5]|40001|40P01|23503)$/
const CONNECTING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/** The driver's own messages, which have no code. */
const DRIVER_MESSAGES = /^(timeout exceeded when trying to connect|Connection terminated|Client .* not queryable)/

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return DRIVER_MESSAGES.test(error.message)
  // The socket file is missing while the database is down; any other missing file is a defect.
  if (code === 'ENOENT') return syscall === 'connect'
  return CONNECTING.has(code) || SQL_STATES.test(code)
}
