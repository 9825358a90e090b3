// Post-build step: defers each page's scripts, and writes each page as Markdown, llms.txt, the search records and
// compressed copies.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LoadContext, Plugin } from '@docusaurus/types'
import { load } from 'cheerio'
import { compressFiles } from '../../../scripts/compress-files.ts'
import { type Page, pageMarkdown } from '../generate/markdown.ts'
import { paintFirst } from '../generate/paint-first.ts'
import { searchRecords } from '../generate/search-records.ts'

/** Page metadata from the documents plugin. */
interface Doc {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly permalink: string
}
type DocsContent = Readonly<Record<string, { readonly loadedVersions: readonly { readonly docs: readonly Doc[] }[] }>>

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default function siteFiles({ baseUrl, siteConfig, siteDir }: LoadContext): Plugin {
  let docs: Doc[] = []
  return {
    name: 'site-files',
    async allContentLoaded({ allContent }) {
      const content = allContent['docusaurus-plugin-content-docs'] as DocsContent
      docs = Object.values(content)
        .flatMap(({ loadedVersions }) => loadedVersions.flatMap((version) => version.docs))
        // One page has a space in its path.
        .map((doc) => ({ ...doc, permalink: encodeURI(decodeURI(doc.permalink)) }))
    },
    async postBuild({ outDir }) {
      const records: unknown[] = []
      const pages: Page[] = []
      for (const { title, description, permalink } of docs) {
        const path = decodeURI(permalink.slice(baseUrl.length))
        const html = readFileSync(htmlFile(outDir, path), 'utf8')
        const article = load(html)('.theme-doc-markdown')
        const page = { title, description, path, permalink }
        pages.push(page)
        const file = join(outDir, `${path.replace(/\/$/, '') || 'index'}.md`)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, pageMarkdown(article.toString(), page))
        records.push(...searchRecords(article.toString(), page))
      }
      writeFileSync(join(outDir, 'search-records.json'), JSON.stringify(records))
      copyFileSync(join(siteDir, 'content/synonyms.json'), join(outDir, 'search-synonyms.json'))
      writeFileSync(join(outDir, 'llms.txt'), listOf(pages, siteConfig.url))
      writeFileSync(join(outDir, 'llms-full.txt'), fullText(outDir, pages))
      const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).map((name) => join(outDir, name))
      for (const file of files.filter((name) => name.endsWith('.html'))) {
        writeFileSync(file, paintFirst(readFileSync(file, 'utf8')))
      }
      await compressFiles(files)
    },
  }
}

function htmlFile(outDir: string, path: string): string {
  const folder = join(outDir, path, 'index.html')
  return existsSync(folder) ? folder : join(outDir, `${path}.html`)
}

const isReference = ({ path }: Page): boolean => path.startsWith('developers/openapi/c')

/** llmstxt.org: a title, a summary, and the pages as links to their Markdown. */
function listOf(pages: readonly Page[], url: string): string {
  const line = ({ title, description, permalink }: Page): string =>
    `- [${title}](${url}${permalink.replace(/\/$/, '') || ''}${permalink.endsWith('/') && permalink.split('/').length <= 3 ? '/index' : ''}.md): ${description}`
  const guides = pages.filter((page) => !isReference(page))
  const reference = pages.filter((page) => isReference(page))
  return [
    '# Bowline',
    '',
    '> SSH to any device behind any network: server with console and API, SSH gateway, agent.',
    '',
    '## Documentation',
    '',
    ...guides.map(line),
    '',
    '## API reference',
    '',
    ...reference.map(line),
    '',
  ].join('\n')
}

function fullText(outDir: string, pages: readonly Page[]): string {
  return pages
    .filter((page) => !isReference(page))
    .map(({ path }) => readFileSync(join(outDir, `${path.replace(/\/$/, '') || 'index'}.md`), 'utf8'))
    .join('\n---\n\n')
}
