// Names of keys for people.

/** Key names as on this machine's keyboard. */
export function keyName(key: string): string {
  if (!key.startsWith('mod+')) return key
  const letter = key.slice('mod+'.length).toUpperCase()
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? `⌘ ${letter}` : `Ctrl ${letter}`
}
