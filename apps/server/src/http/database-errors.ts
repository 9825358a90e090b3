// Recognises failures of the database that are nobody's mistake: it is away, overloaded, or two calls got in each
// other's way. Callers get 503 and may try again; everything else that the database says is a defect of ours.

/**
 * PostgreSQL's classes 08 (connection) and 53 (resources), of 57 what operators and restarts cause and a statement that
 * was given up, of 55 a lock that did not come free, and of 40 what two transactions did to each other.
 */
const SQL_STATES = /^(08...|53...|55P03|57014|57P0[1-5]|40001|40P01)$/
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
/** The driver's own sentences; it gives them no code. */
const SENTENCES = /^(timeout exceeded when trying to connect|Connection terminated|Client .* not queryable)/

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return SENTENCES.test(error.message)
  // The file of a socket is missing while the server is down; any other missing file is a defect.
  if (code === 'ENOENT') return syscall === 'connect'
  return CONNECTING.has(code) || SQL_STATES.test(code)
}
