// The documentation site: React through Docusaurus, without preset-classic, so that only what is used is loaded.
// DOCS_BASE_URL: `/docs/` (default) when the product's server serves it, `/` on its own host. DOCS_URL: URL of that
// host; without it the server inserts its own address into each page. DOCS_SEARCH_HOSTS: further hosts of the search
// service, tried in order after the site's own.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { DOCS_ORIGIN } from '@bowline/contract/docs-origin'
import type { Config } from '@docusaurus/types'
import { highlightCode } from './generate/highlight-code.ts'

const baseUrl = process.env['DOCS_BASE_URL'] ?? '/docs/'
const { version } = JSON.parse(readFileSync('../../package.json', 'utf8')) as { version: string }
const embedded = baseUrl !== '/'
// Compiled pages contain the base URL, which Docusaurus' cache key of them does not.
if (baseUrl !== '/docs/') process.env['DOCUSAURUS_NO_PERSISTENT_CACHE'] = 'true'
/** DOCS_REPOSITORY: URL of the repository's web pages, for the links to edit a page or report a gap. */
const repository = process.env['DOCS_REPOSITORY']

// The API reference and its sidebars; colours and mark.
execFileSync(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', 'generate/main.ts'], {
  stdio: 'inherit',
})

/** A section of the site in the navigation bar: highlighted on all its pages. */
const section = (label: string, folder: string, page = '') => ({
  to: `/${folder}${page}`,
  label,
  position: 'left' as const,
  activeBaseRegex: `^${baseUrl}${folder}`,
})

const ANNOUNCEMENT = 'first-version'
/** The theme forgets the dismissal of another announcement, but shows the new one only on the next visit. */
const NEW_ANNOUNCEMENT = `try{localStorage.getItem('docusaurus.announcement.id')!=='${ANNOUNCEMENT}'&&localStorage.removeItem('docusaurus.announcement.dismiss')}catch{}`

const config: Config = {
  title: 'Bowline',
  tagline: 'SSH to any device behind any network',
  url: process.env['DOCS_URL'] ?? DOCS_ORIGIN,
  baseUrl,
  favicon: 'img/mark.svg',
  staticDirectories: ['static', '.generated/static'],
  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',
  onDuplicateRoutes: 'throw',
  // Replaced by src/theme/Root: the stock banner mentions Docusaurus.
  baseUrlIssueBanner: false,
  i18n: { defaultLocale: 'en', locales: ['en'], localeConfigs: { en: { label: 'English' } } },
  future: { v4: true, faster: true },
  storage: { namespace: false },
  headTags: [
    { tagName: 'script', attributes: {}, innerHTML: NEW_ANNOUNCEMENT },
    { tagName: 'meta', attributes: { name: 'color-scheme', content: 'light dark' } },
  ],
  markdown: { format: 'detect', hooks: { onBrokenMarkdownLinks: 'throw', onBrokenMarkdownImages: 'throw' } },
  customFields: {
    version,
    search: {
      appId: process.env['DOCS_SEARCH_APP_ID'] ?? 'docs',
      apiKey: process.env['DOCS_SEARCH_API_KEY'] ?? 'public',
      indexName: 'docs',
      hosts: (process.env['DOCS_SEARCH_HOSTS'] ?? '').split(',').filter((host) => host !== ''),
      missingResultsUrl: repository ? `${repository}/issues/new?title=` : '',
    },
  },
  clientModules: ['./src/client/idle-prefetch.ts', './src/client/page-views.ts', './src/client/image-zoom.ts'],
  themes: [['@docusaurus/theme-classic', { customCss: './src/css/site.css' }]],
  plugins: [
    [
      '@docusaurus/plugin-content-docs',
      {
        path: 'content',
        routeBasePath: '/',
        sidebarPath: './sidebars.ts',
        rehypePlugins: [highlightCode],
        ...(repository ? { editUrl: `${repository}/edit/main/apps/docs/` } : {}),
        showLastUpdateTime: true,
        versions: { current: { label: version } },
      },
    ],
    [
      '@docusaurus/plugin-content-docs',
      {
        id: 'api',
        path: '.generated/api',
        routeBasePath: 'developers/openapi',
        sidebarPath: './sidebars-api.ts',
        rehypePlugins: [highlightCode],
        versions: { current: { label: version } },
      },
    ],
    ['@docusaurus/plugin-sitemap', {}],
    './plugins/lean-scripts.ts',
    './plugins/search-page.ts',
    './plugins/site-files.ts',
  ],
  themeConfig: {
    image: 'img/card.png',
    metadata: [{ name: 'description', content: 'SSH to any device behind any network: how to run and use Bowline.' }],
    colorMode: { respectPrefersColorScheme: true },
    announcementBar: {
      id: ANNOUNCEMENT,
      content: 'Documentation of Bowline 0.1. Pages say what is not available yet.',
      isCloseable: true,
    },
    docs: { sidebar: { hideable: true } },
    navbar: {
      title: 'Bowline',
      hideOnScroll: true,
      logo: { alt: '', src: 'img/mark.svg' },
      items: [
        section('Get started', 'overview/', 'getting-started/'),
        section('Use', 'user-guides/'),
        section('Run', 'self-hosted/'),
        section('API', 'developers/openapi/'),
        { type: 'custom-edition', position: 'right' },
        { type: 'docsVersionDropdown', position: 'right' },
        { type: 'localeDropdown', position: 'right' },
        ...(embedded ? [{ href: 'pathname:///', label: 'Console', position: 'right' as const, target: '_self' }] : []),
      ],
    },
    // Instead of the theme's: generate/highlight-code.ts.
    prism: { theme: { plain: {}, styles: [] } },
  },
}

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default config
