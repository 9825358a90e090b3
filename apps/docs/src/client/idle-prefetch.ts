// Linked pages are fetched ahead when the browser has nothing else to do: many links come into view at once.
type Loader = Window['docusaurus']

if (typeof window !== 'undefined' && 'requestIdleCallback' in window) {
  // The client sets it after the modules, and freezes it.
  let loader: Loader | undefined
  Object.defineProperty(window, 'docusaurus', {
    configurable: true,
    get: () => loader,
    set(given: Loader) {
      const prefetch: Loader['prefetch'] = (path) => {
        requestIdleCallback(() => void given.prefetch(path))
        return false
      }
      loader = { ...given, prefetch }
    },
  })
}
