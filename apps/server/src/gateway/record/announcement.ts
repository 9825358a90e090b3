// The lines that a person sees when a shell with a terminal opens: where they are, and the namespace's announcement.
// Text of an administrator goes to other people's terminals: nothing in it may steer them.

const MAX_LENGTH = 4_096

/** The line that tells where a shell runs. @param sshId `user@namespace.device` */
export function connectedLine(sshId: string): Uint8Array {
  return Buffer.from(`Connected to ${plainText(sshId)} through Bowline.\r\n`)
}

/**
 * @param announcement of the namespace; may be ''
 * @returns bytes for the terminal; none when there is no announcement
 */
export function announce(announcement: string): Uint8Array {
  if (announcement.trim() === '') return new Uint8Array()
  return Buffer.from(`${plainText(announcement.trimEnd()).split('\n').join('\r\n')}\r\n`)
}

/**
 * Without control characters (C0, DEL and C1, which terminals obey) but the ends of lines and tabs, and without those
 * that reorder or hide text.
 */
export function plainText(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\P{Cc}\n\t]|[\u200e\u200f\u2028-\u202e\u2060-\u206f]/gu, '')
}
