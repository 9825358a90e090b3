// Shrinks the scripts: removes the theme's syntax highlighters (generate/highlight-code.ts replaces them), a quarter of
// all scripts and of their load time; and bundles what every page needs into one file instead of nine.
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
