// Makes pages readable before their scripts run. Scripts with `defer` run before the first paint when they arrive
// early; these are prefetched meanwhile and run after it.

const DEFERRED = /<script src="?([^" >]+)"? defer(?:="[^"]*")?><\/script>/g

/** Window event when a script of the site cannot be loaded; src/theme/Root explains the cause. */
export const NOT_LOADED = 'site-not-loaded'

/**
 * @param html a built page
 * @returns the page with its deferred scripts, in order, after the first frame; a hidden page has no frames, so after a
 *   second at most
 */
export function paintFirst(html: string): string {
  const addresses = [...html.matchAll(DEFERRED)].map(([, address = '']) => address)
  if (addresses.length === 0) return html
  const fetched = addresses.map((address) => `<link rel="preload" as="script" fetchpriority="low" href="${address}">`)
  let first = true
  return html.replaceAll(DEFERRED, () => {
    if (!first) return ''
    first = false
    return `${fetched.join('')}<script>${loader(addresses)}</script>`
  })
}

const loader = (addresses: readonly string[]): string =>
  `!function(){var done;function go(){if(!done){done=1;${JSON.stringify(addresses)}.forEach(function(a){var s=document.createElement("script");s.src=a;s.async=!1;s.onerror=function(){dispatchEvent(new Event("${NOT_LOADED}"))};document.head.append(s)})}}requestAnimationFrame(function(){setTimeout(go)});setTimeout(go,1e3)}()`
