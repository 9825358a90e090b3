// Sends the views of pages to the server that the site comes from.
window.bowlinePageView = (path) => {
  navigator.sendBeacon('/docs-events/page-views', JSON.stringify({ path }))
}
