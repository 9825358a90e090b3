// What browsers load: without the theme's parsers of code (pages come coloured, generate/highlight-code.ts), which were a
// quarter of all scripts and of the time until they ran; and what every page needs in one file instead of nine.
import { join } from 'node:path'
import type { LoadContext, Plugin } from '@docusaurus/types'

/** Components around the text of a page, the theme's and ours. */
const AROUND_PAGES = /[\\/](theme|theme-common|plugin-content-docs)[\\/]/

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default function leanScripts({ siteDir }: LoadContext): Plugin {
  return {
    name: 'lean-scripts',
    configureWebpack: (_, isServer) => ({
      resolve: { alias: { 'prism-react-renderer$': join(siteDir, 'src/no-prism.ts') } },
      ...(isServer
        ? {}
        : {
            optimization: {
              splitChunks: {
                cacheGroups: {
                  pages: { name: 'pages', test: AROUND_PAGES, chunks: 'async', minChunks: 1, priority: 30 },
                },
              },
            },
          }),
    }),
  }
}
