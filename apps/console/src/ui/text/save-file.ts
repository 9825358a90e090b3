// Saves a file through the browser's downloads.

/** @param name suggested file name */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has started reading it by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 0)
}
