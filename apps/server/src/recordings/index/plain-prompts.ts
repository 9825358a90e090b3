// Commands of a shell that tells nothing about its lines: those of BusyBox, of Android, dash, and bash before 5.1. What is
// known is that such a shell writes its prompt and then waits, so that a piece of output ends there; what is behind the
// prompt at the next line feed was entered.
import type { Terminal } from '@xterm/headless'

/**
 * A prompt that ends in the sign of a shell, at the beginning of its line. Those of database clients, such as `=#`, are
 * none; `%` ends what programs print of their progress more often than a prompt.
 */
const PROMPT = /^(?:[^$#]{0,120}[^$#=('"*^!-])?[$#] $/
/** The line was given up. */
export const INTERRUPTED = /\^C$/

export interface PromptParts {
  /** What is behind this column of the cursor's line is typed from here on. */
  readonly begin: (column: number) => void
  /** What has been typed so far. */
  readonly typed: () => string
  readonly forget: () => void
  /** A command was entered. */
  readonly add: (command: string) => void
}

export interface PlainPrompts {
  /** A piece of output ends here. */
  rest(): void
  /** Something else tells about the lines of this shell. */
  stop(): void
}

export function watchPlainPrompts(terminal: Terminal, { begin, typed, forget, add }: PromptParts): PlainPrompts {
  let prompt = ''
  let isWaiting = false
  /** Entered, or followed by the proposals of a completion: then the line is drawn again below. */
  let entered: string | undefined

  function wait(): void {
    begin(prompt.length)
    isWaiting = true
  }

  /** The line editor of BusyBox begins the next row by itself when one is full. */
  function isWrapped(): boolean {
    const { baseY, cursorY } = terminal.buffer.active
    const row = terminal.buffer.active.getLine(baseY + cursorY - 1)
    return row !== undefined && row.translateToString(true).length >= terminal.cols
  }

  terminal.onLineFeed(() => {
    if (!isWaiting || terminal.buffer.active.type !== 'normal' || isWrapped()) return
    entered = typed().trimEnd()
    forget()
    isWaiting = false
  })

  return {
    rest() {
      const { active } = terminal.buffer
      if (active.type !== 'normal') return
      const row = active.getLine(active.baseY + active.cursorY)
      const before = row?.translateToString(false, 0, active.cursorX) ?? ''
      const isPrompt = PROMPT.test(before) && row?.translateToString(true, active.cursorX) === ''
      const isDrawnAgain = !isPrompt && prompt !== '' && before.startsWith(prompt)
      const isCompleted = isDrawnAgain && entered !== undefined && before.startsWith(prompt + entered)
      if (entered !== undefined && !isCompleted && !INTERRUPTED.test(entered)) add(entered)
      entered = undefined
      if (isPrompt) prompt = before
      if (isPrompt || (isDrawnAgain && !row?.isWrapped)) wait()
    },
    stop() {
      prompt = ''
      isWaiting = false
      entered = undefined
    },
  }
}
