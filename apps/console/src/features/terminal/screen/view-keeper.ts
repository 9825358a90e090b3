// Scroll position of a terminal before a search moved it. Independent of the terminal's package.

/** The part of a terminal that this module uses. */
interface Scrolled {
  readonly buffer: { readonly active: { readonly viewportY: number; readonly baseY: number } }
  scrollToLine(line: number): void
  scrollToBottom(): void
}

export interface ViewKeeper {
  /** The search has moved the view by itself. */
  moved(): void
  /** The person goes from match to match: the view stays where they are. */
  stay(): void
  /** Scrolls back, unless the person has moved the view. */
  restore(): void
}

export function keepView(terminal: Scrolled): ViewKeeper {
  const { viewportY: before, baseY } = terminal.buffer.active
  const wasAtBottom = before === baseY
  let shown = before
  let stays = false
  return {
    moved: () => void (shown = terminal.buffer.active.viewportY),
    stay: () => void (stays = true),
    restore() {
      if (stays || terminal.buffer.active.viewportY !== shown) return
      if (wasAtBottom) terminal.scrollToBottom()
      else terminal.scrollToLine(before)
    },
  }
}
