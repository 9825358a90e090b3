// What is typed after the key that opens a field and before the field is there: without this it would be lost, or be
// taken for shortcuts, on a slow machine or while the field's script is on its way.

/**
 * Keeps keys from the page and collects what they say.
 * @param cancelled Escape was pressed, or somebody clicked: nothing is kept any more
 * @returns ends the keeping and gives what was typed; '' when it has ended before
 */
export function keepTyped(cancelled: () => void): () => string {
  let typed = ''
  const end = (): void => {
    removeEventListener('keydown', keep, true)
    removeEventListener('pointerdown', cancel, true)
  }
  const cancel = (): void => {
    typed = ''
    end()
    cancelled()
  }
  const keep = (event: KeyboardEvent): void => {
    const { key } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'Escape') cancel()
    else if (key === 'Backspace') typed = typed.slice(0, -1)
    else if (key.length === 1) typed += key
  }
  addEventListener('keydown', keep, true)
  addEventListener('pointerdown', cancel, true)
  return () => {
    end()
    const said = typed
    typed = ''
    return said
  }
}
