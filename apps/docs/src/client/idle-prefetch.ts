// Defers prefetching of linked pages until the browser is idle: many links come into view at once.
type Loader = Window['docusaurus']

if (typeof window !== 'undefined' && 'requestIdleCallback' in window) {
  // Docusaurus sets and freezes it after the modules have run.
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
