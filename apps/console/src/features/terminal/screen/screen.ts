// What a terminal shows: xterm with its add-ons, on an element of its own that moves between places of the page. It
// knows nothing of servers.
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { WebglAddon } from '@xterm/addon-webgl'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { Size } from '../connection/remote-terminal.ts'
import { copySelection } from './clipboard.ts'
import { type TerminalSettings, terminalSettings } from './settings.ts'
import { TERMINAL_THEMES } from './themes.ts'
import { scrollByTouch } from './touch-scroll.ts'

const OWN_FONT = '"JetBrains Mono Variable", ui-monospace, monospace'

export interface Screen {
  readonly terminal: Terminal
  readonly search: SearchAddon
  readonly size: () => Size
  /** Puts it into the page. @returns takes it out again */
  attach(place: HTMLElement): () => void
  apply(settings: TerminalSettings, isDark: boolean): void
  dispose(): void
}

export interface ScreenEvents {
  /** Typed, pasted or answered by the terminal itself. */
  input(bytes: Uint8Array): void
  resized(size: Size): void
  /** A key before the terminal takes it. @returns whether it was the page's */
  key(event: KeyboardEvent): boolean
}

export function createScreen(settings: TerminalSettings, isDark: boolean, events: ScreenEvents): Screen {
  const terminal = new Terminal({
    ...optionsOf(settings, isDark),
    allowProposedApi: true,
    cursorBlink: false,
    macOptionIsMeta: true,
    rightClickSelectsWord: true,
    // What a program calls a link: addresses of the web only.
    linkHandler: { activate: (_, uri) => openLink(uri), allowNonHttpProtocols: false },
  })
  const fit = new FitAddon()
  const search = new SearchAddon({ highlightLimit: 1_000 })
  for (const addon of [fit, search, new WebLinksAddon((_, uri) => openLink(uri)), new UnicodeGraphemesAddon()]) {
    terminal.loadAddon(addon)
  }
  const utf8 = new TextEncoder()
  terminal.onData((text) => events.input(utf8.encode(text)))
  terminal.onBinary((text) => events.input(Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0)))
  terminal.onResize(({ cols, rows }) => events.resized({ columns: cols, rows }))
  terminal.attachCustomKeyEventHandler((event) => !events.key(event))
  const holder = document.createElement('div')
  holder.style.height = '100%'
  holder.addEventListener('mouseup', () => {
    if (terminalSettings.get().copyOnSelect) void copySelection(terminal)
  })
  let isOpen = false

  function open(): void {
    terminal.open(holder)
    isOpen = true
    scrollByTouch(holder, terminal)
    // Cells are measured with the font, which may not be there yet.
    const { fontSize = 14, fontFamily = OWN_FONT } = terminal.options
    void document.fonts.load(`${fontSize}px ${fontFamily}`).then(() => fit.fit())
  }

  return {
    terminal,
    search,
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    attach(place) {
      place.append(holder)
      if (!isOpen) open()
      const webgl = fastRenderer(terminal)
      const observer = new ResizeObserver(() => {
        if (place.clientWidth > 0) fit.fit()
      })
      observer.observe(place)
      fit.fit()
      return () => {
        observer.disconnect()
        // Browsers keep a few contexts only: those that are seen have them.
        webgl?.dispose()
        holder.remove()
      }
    },
    apply(next, isDarkNow) {
      Object.assign(terminal.options, optionsOf(next, isDarkNow))
      if (holder.isConnected) fit.fit()
    },
    dispose: () => terminal.dispose(),
  }
}

function optionsOf({ fontSize, font, theme, scrollback, screenReader }: TerminalSettings, isDark: boolean) {
  const chosen = theme === 'auto' ? (isDark ? 'dark' : 'light') : theme
  return {
    fontSize,
    // What the chosen one lacks comes from the console's own.
    fontFamily: font.trim() === '' ? OWN_FONT : `"${font.trim()}", ${OWN_FONT}`,
    scrollback,
    screenReaderMode: screenReader,
    theme: TERMINAL_THEMES[chosen],
    minimumContrastRatio: chosen === 'contrast' ? 7 : 4.5,
  }
}

/** Drawing by WebGL, where it paints: on touch screens it was seen to show nothing. */
function fastRenderer(terminal: Terminal): WebglAddon | undefined {
  if (!matchMedia('(pointer: fine)').matches) return undefined
  try {
    const addon = new WebglAddon()
    addon.onContextLoss(() => addon.dispose())
    terminal.loadAddon(addon)
    return addon
  } catch {
    // No WebGL 2 here: the other renderer is right, only slower.
    return undefined
  }
}

function openLink(uri: string): void {
  if (/^https?:\/\//i.test(uri)) window.open(uri, '_blank', 'noopener,noreferrer')
}
