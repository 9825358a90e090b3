// Entry of a page with nothing but a terminal's screen, which shows bytes from memory: what the renderer can do where no
// network, server or device is in between. Built by e2e/console/speed/terminal-page.ts.
import { createScreen } from '../features/terminal/screen/screen.ts'
import { terminalSettings } from '../features/terminal/screen/settings.ts'

/** As many bytes as a frame of the terminal's protocol has, and as many frames as are on the way. */
const PIECE_BYTES = 32 * 1024
const PIECES = 16

const nothing = () => undefined
const screen = createScreen(terminalSettings.get(), false, {
  input: nothing,
  resized: nothing,
  pasted: nothing,
  key: () => false,
})
const place = document.querySelector('main')
if (place) screen.attach(place)

/** @returns milliseconds until the bytes are on the screen */
function timeOf(bytes: Uint8Array): Promise<number> {
  return new Promise((resolve) => {
    const begun = performance.now()
    let at = 0
    let shown = 0
    const next = (): void => {
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      at += piece.length
      screen.terminal.write(piece, () => {
        shown += piece.length
        if (shown === bytes.length) resolve(performance.now() - begun)
        else if (at < bytes.length) next()
      })
    }
    for (let piece = 0; piece < PIECES && at < bytes.length; piece += 1) next()
  })
}

Object.assign(globalThis, { timeOf })
