// What a person sees when a shell with a terminal opens: where they are, and the namespace's announcement. Text of an
// administrator goes to other people's terminals: nothing in it may steer them.

const MAX_LENGTH = 4_096

/**
 * @param sshId `user@namespace.device`
 * @param announcement of the namespace; may be ''
 * @returns bytes for the terminal
 */
export function announce(sshId: string, announcement: string): Uint8Array {
  const lines = [`Connected to ${plainText(sshId)} through Bowline.`, ...plainText(announcement.trimEnd()).split('\n')]
  const shown = announcement.trim() === '' ? lines.slice(0, 1) : lines
  return Buffer.from(`${shown.join('\r\n')}\r\n`)
}

/** Without control characters (C0, DEL and C1, which terminals obey) but the ends of lines and tabs. */
export function plainText(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
}
