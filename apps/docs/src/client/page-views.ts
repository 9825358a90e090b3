// Reports page views to the site's own server on each route change, through a script loaded before the first report.
// Where the server counts none (BOWLINE_DOCS_PAGE_VIEWS), that script is empty.
import siteConfig from '@generated/docusaurus.config'

interface Place {
  readonly pathname: string
}

declare global {
  interface Window {
    /** Set by the loaded script. */
    bowlinePageView?: (path: string) => void
  }
}

let loading: Promise<void> | undefined

function load(): Promise<void> {
  return new Promise((loaded) => {
    const script = document.createElement('script')
    script.src = `${siteConfig.baseUrl}page-views.js`
    script.async = true
    script.addEventListener('load', () => loaded())
    script.addEventListener('error', () => {
      // oxlint-disable-next-line no-console -- for the site's operator
      console.error(`Page views are not counted: ${script.src} could not be loaded.`)
      loaded()
    })
    document.head.append(script)
  })
}

/** Called by Docusaurus after each route change. */
export function onRouteDidUpdate(update: { readonly location: Place; readonly previousLocation: Place | null }): void {
  const { pathname } = update.location
  if (pathname === update.previousLocation?.pathname) return
  loading ??= load()
  void loading.then(() => window.bowlinePageView?.(pathname))
}
