// Lines shown when a shell with a terminal opens: the device, and the namespace's announcement. An administrator's text
// reaches other people's terminals: control characters are removed.

const MAX_LENGTH = 4_096

/** Line that names the device of a shell. @param sshId `user@namespace.device` */
export function connectedLine(sshId: string): Uint8Array {
  return Buffer.from(`Connected to ${plainText(sshId)} through Bowline.\r\n`)
}

/**
 * @param announcement of the namespace; may be ''
 * @returns bytes for the terminal; empty without an announcement
 */
export function announce(announcement: string): Uint8Array {
  if (announcement.trim() === '') return new Uint8Array()
  return Buffer.from(`${plainText(announcement.trimEnd()).split('\n').join('\r\n')}\r\n`)
}

/** {@link withoutControls}, cut to the length of a message. */
export function plainText(text: string): string {
  return withoutControls(text.slice(0, MAX_LENGTH))
}

/**
 * Removes control characters (C0, DEL and C1, which terminals interpret) except line ends and tabs, and characters that
 * reorder or hide text.
 */
export function withoutControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]|[\u200e\u200f\u2028-\u202e\u2060-\u206f]/gu, '')
}
