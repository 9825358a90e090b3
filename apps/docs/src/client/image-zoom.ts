// Click to zoom for pictures. Pictures are attached a second after each route change, when the page has settled; a
// scroll of 40 pixels closes the zoom after 150 ms (both medium-zoom's own).
import mediumZoom, { type Zoom } from 'medium-zoom'

const SETTLED_MS = 1_000
const SCROLL_PIXELS = 40

let zoom: Zoom | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Called by Docusaurus after each route change. */
export function onRouteDidUpdate(): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    zoom?.detach()
    zoom = mediumZoom('.markdown img', {
      background: getComputedStyle(document.documentElement).getPropertyValue('--ifm-background-color'),
      margin: 24,
      scrollOffset: SCROLL_PIXELS,
    })
  }, SETTLED_MS)
}
