// Commands that a shell marks in its output: `OSC 133 ; B` where the typed text begins and `OSC 133 ; C` where the command
// begins to run, as fish does by itself and other shells by their prompts. What is on the screen between the two is the
// command, however it was edited; some shells send it with the second mark. `OSC 133 ; D ; status` is its end.
//
// A bash without them (5.1 and later, since 2020) still tells when its line editor begins and ends: it switches bracketed
// paste on before the prompt (`CSI ? 2004 h`) and off when the line is entered (`CSI ? 2004 l`). Other shells, as those of
// BusyBox, Android and older systems, tell nothing: see plain-prompts.ts.
import type { IMarker, Terminal } from '@xterm/headless'
import { INTERRUPTED, watchPlainPrompts } from './plain-prompts.ts'

/** Characters of one command, and commands of one recording. */
const MAX_LENGTH = 4_096
const MAX_COMMANDS = 2_000

const BRACKETED_PASTE = 2004
/**
 * A prompt that ends in the sign of a shell, whose last line may follow others. Those of database clients, such as `=#`,
 * and of continued lines are none.
 */
const PROMPT = /^(?:[^\n$#%❯]{0,200}\n){0,3}(?:[^\n$#%❯]{0,200}[^\n$#%❯=('"*^!-])?[$#%❯] /

export interface Commands {
  /** A piece of output ends here: whoever wrote it may wait for input. */
  rest(): void
  /** Removes and returns those found in what has been written so far. */
  take(): string[]
  /** Commands that ended with another status than 0 so far; undefined where the shell has told no status. */
  failed(): number | undefined
}

export function watchCommands(terminal: Terminal): Commands {
  let begin: { readonly marker: IMarker; readonly column: number } | undefined
  let found: string[] = []
  let left = MAX_COMMANDS
  let failures: number | undefined
  let isRunning = false
  /** The shell marks its commands: nothing is guessed. */
  let hasMarks = false
  /** The line editor of a bash runs. */
  let isEditing = false

  function forget(): void {
    begin?.marker.dispose()
    begin = undefined
  }

  function typed(): string {
    const { normal, active } = terminal.buffer
    // A marker whose line has left the scrollback has none.
    if (!begin || active.type !== 'normal' || begin.marker.line < 0) return ''
    let text = ''
    // A line editor that draws a line again does not always let the terminal wrap it.
    let isFull = false
    for (let y = begin.marker.line; y <= normal.baseY + normal.cursorY && text.length < MAX_LENGTH; y += 1) {
      const line = normal.getLine(y)
      const from = y === begin.marker.line ? begin.column : 0
      const goesOn = y === begin.marker.line || isFull || line?.isWrapped
      text += `${goesOn ? '' : '\n'}${line?.translateToString(true, from) ?? ''}`
      isFull =
        line
          ?.getCell(terminal.cols - 1)
          ?.getChars()
          .trim() !== ''
    }
    return text
  }

  function mark(column = terminal.buffer.normal.cursorX): void {
    forget()
    const marker = terminal.registerMarker(0)
    if (marker) begin = { marker, column }
  }

  function isBracketedPaste(parameters: readonly (number | readonly number[])[]): boolean {
    return !hasMarks && parameters.includes(BRACKETED_PASTE) && terminal.buffer.active.type === 'normal'
  }

  function add(text: string): void {
    const command = text.slice(0, MAX_LENGTH).toWellFormed().replaceAll('\0', ' ').trim()
    if (command === '' || left === 0) return
    left -= 1
    found.push(command)
  }

  terminal.parser.registerOscHandler(133, (data) => {
    const [kind = '', ...parameters] = data.split(';')
    if (!hasMarks) {
      forget()
      plain.stop()
    }
    hasMarks = true
    if (kind === 'B') {
      mark()
    } else if (kind === 'C') {
      add(sentWith(parameters) ?? typed())
      forget()
      isRunning = true
    } else if (kind === 'D') {
      // An empty line ends with the status of the command before it.
      const status = isRunning ? /^\d{1,3}$/.exec(parameters[0] ?? '') : null
      if (status) failures = (failures ?? 0) + (Number(status[0]) === 0 ? 0 : 1)
      isRunning = false
    }
    return true
  })

  const plain = watchPlainPrompts(terminal, { begin: mark, typed, forget, add })
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (parameters) => {
    if (!isBracketedPaste(parameters)) return false
    plain.stop()
    mark()
    isEditing = true
    return false
  })
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, (parameters) => {
    if (!isBracketedPaste(parameters)) return false
    const line = isEditing ? typed().trimEnd() : ''
    forget()
    isEditing = false
    const [prompt] = PROMPT.exec(line) ?? []
    if (prompt !== undefined && !INTERRUPTED.test(line)) add(line.slice(prompt.length))
    return false
  })

  return {
    rest() {
      if (!hasMarks && !isEditing) plain.rest()
    },
    failed: () => failures,
    take() {
      const taken = found
      found = []
      return taken
    },
  }
}

/** The command that the mark itself has, percent-encoded. */
function sentWith(parameters: readonly string[]): string | undefined {
  const [, encoded] = /^cmdline_url=(.*)$/s.exec(parameters.join(';')) ?? []
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
