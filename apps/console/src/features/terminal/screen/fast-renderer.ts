// Drawing terminals by the graphics processor, where there is one.
import { WebglAddon } from '@xterm/addon-webgl'
import type { Terminal } from '@xterm/xterm'

/** Names of programs that draw in place of a graphics processor: of Chromium, of Mesa, of Windows, of macOS. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i

let isHardware: boolean | undefined

/**
 * Whether WebGL 2 is drawn by a graphics processor. Where the main processor does that, as in virtual machines, each
 * frame stops the page for longer than the other renderer needs: output was seen at a fraction of its speed.
 */
function isAccelerated(): boolean {
  isHardware ??= isDrawnByHardware()
  return isHardware
}

function isDrawnByHardware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true })
  if (!gl) return false
  const names = gl.getExtension('WEBGL_debug_renderer_info')
  const name: unknown = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER)
  // Browsers allow few contexts.
  gl.getExtension('WEBGL_lose_context')?.loseContext()
  return !SOFTWARE.test(String(name))
}

/** Enables WebGL rendering, except on touch screens, where it was seen to show nothing. */
export function fastRenderer(terminal: Terminal): WebglAddon | undefined {
  if (!matchMedia('(pointer: fine)').matches || !isAccelerated()) return undefined
  try {
    const addon = new WebglAddon()
    addon.onContextLoss(() => addon.dispose())
    terminal.loadAddon(addon)
    return addon
  } catch {
    // No WebGL 2: the other renderer works too, only slower.
    return undefined
  }
}
