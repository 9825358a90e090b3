// A terminal screen: xterm with its add-ons, in its own element, which can move around the page. Independent of
// servers.
import { FitAddon } from '@xterm/addon-fit'
import { SerializeAddon } from '@xterm/addon-serialize'
import { SearchAddon } from '@xterm/addon-search'
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { Size } from '../connection/remote-terminal.ts'
import { copySelection } from './clipboard.ts'
import { fastRenderer } from './fast-renderer.ts'
import { searchTheme } from './search-colours.ts'
import { htmlOf } from './selected-html.ts'
import { type TerminalSettings, terminalSettings } from './settings.ts'
import { TERMINAL_THEMES } from '../../screens/themes.ts'
import { scrollByTouch } from './touch-scroll.ts'

const OWN_FONT = '"JetBrains Mono Variable", ui-monospace, monospace'

export interface Screen {
  readonly terminal: Terminal
  readonly search: SearchAddon
  readonly size: () => Size
  /** True while it is on the page. */
  isShown(): boolean
  /** Attaches it to the page. @returns detach */
  attach(place: HTMLElement): () => void
  /** The selection with its colours; '' without one. */
  selectedHtml(): string
  /** Screen, scrollback and modes as the output that draws them again, with as much scrollback as fits. */
  snapshot(maxCharacters: number): Snapshot
  /** Draws a snapshot on a new screen. */
  restore(snapshot: Snapshot): void
  /** Has the size of another person's terminal, in smaller letters where that needs it; undefined: its own again. */
  follow(size: Size | undefined): void
  apply(settings: TerminalSettings, isDark: boolean): void
  /** While somebody searches, the selection is the current match, and is coloured as such. */
  setSearching(isSearching: boolean): void
  dispose(): void
}

export interface Snapshot extends Size {
  readonly output: string
}

/** Letters of a terminal whose size is another person's are not smaller than this, pixels. */
const SMALLEST_FONT = 5

/** Width of xterm's scroll bar in pixels, and of the ruler over it. */
const SCROLL_BAR_WIDTH = 14

/** Lines of scrollback that a snapshot has at most; fewer where they take too much room. */
const SNAPSHOT_SCROLLBACKS = [2_000, 500, 100, 0]

export interface ScreenEvents {
  /** @param isTyped by the person; otherwise pasted, a report of the mouse, or a reply of the terminal itself */
  input(bytes: Uint8Array, isTyped: boolean): void
  resized(size: Size): void
  /** The browser pastes a text: by a key, its menu, or the middle mouse button. */
  pasted(text: string): void
  /** Handles a key before the terminal does. @returns true when handled */
  key(event: KeyboardEvent): boolean
}

export function createScreen(settings: TerminalSettings, isDark: boolean, events: ScreenEvents): Screen {
  const terminal = new Terminal({
    ...optionsOf(settings, isDark),
    allowProposedApi: true,
    cursorBlink: false,
    macOptionIsMeta: true,
    rightClickSelectsWord: true,
    // Only web URLs in OSC 8 links are opened.
    linkHandler: { activate: (_, uri) => openLink(uri), allowNonHttpProtocols: false },
  })
  const fit = new FitAddon()
  const search = new SearchAddon({ highlightLimit: 1_000 })
  const serializer = new SerializeAddon()
  for (const addon of [
    fit,
    search,
    serializer,
    new WebLinksAddon((_, uri) => openLink(uri)),
    new UnicodeGraphemesAddon(),
  ]) {
    terminal.loadAddon(addon)
  }
  const utf8 = new TextEncoder()
  terminal.onData((text) => events.input(utf8.encode(text), isTyped(text)))
  terminal.onBinary((text) =>
    events.input(
      Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0),
      false,
    ),
  )
  terminal.onResize(({ cols, rows }) => events.resized({ columns: cols, rows }))
  terminal.attachCustomKeyEventHandler((event) => !events.key(event))
  const holder = document.createElement('div')
  holder.style.height = '100%'
  holder.addEventListener('mouseup', () => {
    if (terminalSettings.get().copyOnSelect) void copySelection(terminal)
  })
  // A composed text is sent after the event.
  let isComposed = false
  const onComposed = () => {
    isComposed = true
    setTimeout(() => setTimeout(() => (isComposed = false), 0), 0)
  }
  holder.addEventListener('compositionend', onComposed, { capture: true })
  const isTyped = (text: string): boolean => isKeyPressed() || (isComposed && !text.startsWith('\u001B'))
  // Before the terminal, which would send it at once.
  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault()
    event.stopPropagation()
    events.pasted(event.clipboardData?.getData('text/plain') ?? '')
  }
  holder.addEventListener('paste', onPaste, { capture: true })
  let isOpen = false
  let { fontSize } = settings
  let followed: Size | undefined
  let isSearched = false
  let plainTheme = terminal.options.theme ?? {}

  /** Fits the terminal into its place, or its letters when the size is another person's. */
  function arrange(): void {
    if (!followed) return fit.fit()
    const { columns, rows } = followed
    terminal.options.fontSize = fontSize
    const room = fit.proposeDimensions()
    if (room) {
      const share = Math.min(1, room.cols / columns, room.rows / rows)
      terminal.options.fontSize = Math.max(SMALLEST_FONT, Math.floor(fontSize * share))
    }
    terminal.resize(columns, rows)
  }

  function open(): void {
    terminal.open(holder)
    isOpen = true
    scrollByTouch(holder, terminal)
    // Cells are measured with the font, which may not be loaded yet.
    const { fontFamily = OWN_FONT } = terminal.options
    void document.fonts.load(`${fontSize}px ${fontFamily}`).then(arrange)
  }

  return {
    terminal,
    search,
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    isShown: () => holder.isConnected && document.visibilityState === 'visible',
    attach(place) {
      place.append(holder)
      if (!isOpen) open()
      const webgl = fastRenderer(terminal)
      const observer = new ResizeObserver(() => {
        if (place.clientWidth > 0) arrange()
      })
      observer.observe(place)
      arrange()
      return () => {
        observer.disconnect()
        // Browsers allow few WebGL contexts: only visible screens have one.
        webgl?.dispose()
        holder.remove()
      }
    },
    selectedHtml() {
      const range = terminal.getSelectionPosition()
      const { cols, buffer, options } = terminal
      const look = { theme: plainTheme, fontFamily: options.fontFamily ?? OWN_FONT }
      return range ? htmlOf({ buffer: buffer.active, cols, ...look }, range) : ''
    },
    snapshot(maxCharacters) {
      let output = ''
      for (const scrollback of SNAPSHOT_SCROLLBACKS) {
        output = serializer.serialize({ scrollback })
        if (output.length <= maxCharacters) break
      }
      if (output.length > maxCharacters) output = ''
      return { output, columns: terminal.cols, rows: terminal.rows }
    },
    restore({ output, columns, rows }) {
      terminal.resize(columns, rows)
      terminal.write(output)
    },
    follow(size) {
      if (!size && !followed) return
      followed = size
      terminal.options.fontSize = fontSize
      if (size) terminal.resize(size.columns, size.rows)
      if (holder.isConnected) arrange()
    },
    apply(next, isDarkNow) {
      ;({ fontSize } = next)
      Object.assign(terminal.options, optionsOf(next, isDarkNow))
      plainTheme = terminal.options.theme ?? {}
      if (isSearched) terminal.options.theme = searchTheme(plainTheme)
      if (holder.isConnected) arrange()
    },
    setSearching(isSearching) {
      isSearched = isSearching
      // Draws the marks of matches. Only from here on: it has the browser draw each frame of output twice.
      if (isSearching) terminal.options.overviewRuler = { width: SCROLL_BAR_WIDTH }
      // Without a width it has no room for marks that are left.
      else if (terminal.options.overviewRuler?.width) terminal.options.overviewRuler = {}
      terminal.options.theme = isSearching ? searchTheme(plainTheme) : plainTheme
    },
    dispose: () => terminal.dispose(),
  }
}

function optionsOf({ fontSize, font, theme, scrollback, screenReader }: TerminalSettings, isDark: boolean) {
  const chosen = theme === 'auto' ? (isDark ? 'dark' : 'light') : theme
  return {
    fontSize,
    // The console's own font is the fallback for missing glyphs.
    fontFamily: font.trim() === '' ? OWN_FONT : `"${font.trim()}", ${OWN_FONT}`,
    scrollback,
    screenReaderMode: screenReader,
    theme: { ...TERMINAL_THEMES[chosen], overviewRulerBorder: TERMINAL_THEMES[chosen].background ?? '' },
    minimumContrastRatio: chosen.startsWith('contrast') ? 7 : 4.5,
  }
}

/** The terminal sends what a key types within the event, and its replies outside of any. */
function isKeyPressed(): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- the only way to know whether an event is being handled
  const { type = '' } = globalThis.window.event ?? {}
  return ['keydown', 'keypress', 'input'].includes(type)
}

function openLink(uri: string): void {
  if (/^https?:\/\//i.test(uri)) window.open(uri, '_blank', 'noopener,noreferrer')
}
