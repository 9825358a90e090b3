// Adds the search results page at /search.
import type { LoadContext, Plugin } from '@docusaurus/types'

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default function searchPage({ baseUrl }: LoadContext): Plugin {
  return {
    name: 'search-page',
    contentLoaded({ actions }) {
      actions.addRoute({ path: `${baseUrl}search`, component: '@site/src/search/search-page.tsx', exact: true })
    },
  }
}
