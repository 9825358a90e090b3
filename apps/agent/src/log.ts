// The agent's log: one JSON object per line on stderr, or human-readable lines when stderr is a terminal. Fields are
// passed individually and never hold a credential.

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LEVELS)[number]
type Written = Exclude<LogLevel, 'silent' | 'trace'>

/** Event types, for filtering. */
export type LogEvent =
  | 'started'
  | 'stopping'
  | 'stopped'
  | 'crashed'
  | 'key-made'
  | 'registered'
  | 'registration-failed'
  | 'clock-differs'
  | 'statement-key-kept'
  | 'statement-key-changed'
  | 'statement-key-refused'
  | 'link-up'
  | 'link-down'
  | 'link-failed'
  | 'displaced'
  | 'login-accepted'
  | 'login-denied'
  | 'login-ended'
  | 'pam-session-failed'
  | 'session-started'
  | 'session-ended'
  | 'session-refused'
  | 'dial-failed'
  | 'listening'
  | 'listen-failed'
  | 'internal-error'

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>
type LogCall = (ev: LogEvent, msg: string, fields?: LogFields) => void
export type Log = Readonly<Record<Written, LogCall>>

/**
 * @param write receives whole lines, newline included
 * @param human human-readable text instead of JSON
 */
export function createLog(level: LogLevel, write: (line: string) => void, human: boolean, now = Date.now): Log {
  const least = LEVELS.indexOf(level)
  const call =
    (at: Written): LogCall =>
    (ev, msg, fields = {}) => {
      if (LEVELS.indexOf(at) < least) return
      const time = new Date(now()).toISOString()
      write(human ? humanLine(time, at, msg, fields) : `${JSON.stringify({ time, level: at, ev, msg, ...fields })}\n`)
    }
  return { debug: call('debug'), info: call('info'), warn: call('warn'), error: call('error') }
}

function humanLine(time: string, level: Written, msg: string, fields: LogFields): string {
  const details = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${typeof value === 'string' ? JSON.stringify(value) : value}`],
  )
  return `${[time.slice(11, 19), level.padEnd(5), msg, ...details].join(' ')}\n`
}
