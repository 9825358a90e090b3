// Small preferences stored in this browser. Without storage they last until the page is closed.

/** @returns undefined when nothing is stored or storage is disabled */
export function readSetting(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

export function writeSetting(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage is disabled.
  }
}
