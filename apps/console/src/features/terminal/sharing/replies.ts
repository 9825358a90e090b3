// What a terminal sends by itself, as opposed to what comes from a person.

const ESCAPE = 0x1b

/**
 * Whether input that nobody has typed is a reply of the terminal to the device: a report of its kind, of the cursor, of
 * colours or of the focus. Pastes and reports of the mouse are none.
 */
export function isReply(bytes: Uint8Array): boolean {
  if (bytes[0] !== ESCAPE) return false
  const text = new TextDecoder().decode(bytes.subarray(1, 6))
  return !/^\[(?:200~|<|M)/.test(text)
}
