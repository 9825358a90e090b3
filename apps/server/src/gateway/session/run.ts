// What a channel runs on the device (RFC 4254 section 6.5).
import type { SessionOpen } from '@bowline/link/stream-messages'

export type Run = SessionOpen['run']

/** The command line or the subsystem's name, as events and recordings show it; undefined for a shell. */
export function commandOf(run: Run): string | undefined {
  if (run.type === 'exec') return Buffer.from(run.command, 'base64').toString()
  return run.type === 'subsystem' ? run.name : undefined
}

/** Whether its bytes are files rather than text that a player can show. */
export const isBulk = (run: Run): boolean => run.type === 'subsystem'
