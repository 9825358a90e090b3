// Pictures of pages grow when they are clicked. They are looked for anew a second after each change of the route, when
// the page has settled; a scroll of 40 pixels puts them back, after 150 ms (both medium-zoom's own).
import mediumZoom, { type Zoom } from 'medium-zoom'

const SETTLED_MS = 1_000
const SCROLL_PIXELS = 40

let zoom: Zoom | undefined
let timer: ReturnType<typeof setTimeout> | undefined

/** Docusaurus calls it after each change of the address. */
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
