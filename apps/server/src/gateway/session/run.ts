// Shell, command or subsystem that a channel runs on the device (RFC 4254 section 6.5).
import type { SessionOpen } from '@bowline/link/stream-messages'

export type Run = SessionOpen['run']

/** Command line or subsystem name for events and recordings; undefined for a shell. */
export function commandOf(run: Run): string | undefined {
  if (run.type === 'exec') return Buffer.from(run.command, 'base64').toString()
  return run.type === 'subsystem' ? run.name : undefined
}

/** Its bytes are files rather than text that a player can show. */
export const isBulk = (run: Run): boolean => run.type === 'subsystem'
