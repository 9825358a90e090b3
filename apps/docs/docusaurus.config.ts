// The documentation site: React through Docusaurus, without preset-classic so that only what is used is loaded.
import type { Config } from '@docusaurus/types'

const config: Config = {
  title: 'Bowline',
  tagline: 'SSH to any device behind any network',
  url: 'http://localhost',
  baseUrl: '/docs/',
  favicon: 'img/mark.svg',
  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',
  // The stock banner is an inline script with texts of its own.
  baseUrlIssueBanner: false,
  i18n: { defaultLocale: 'en', locales: ['en'] },
  future: { v4: true, faster: true },
  storage: { namespace: false },
  themes: [['@docusaurus/theme-classic', { customCss: './src/css/site.css' }]],
  plugins: [
    ['@docusaurus/plugin-content-docs', { path: 'content', routeBasePath: '/', sidebarPath: './sidebars.ts' }],
    ['@docusaurus/plugin-sitemap', {}],
  ],
  themeConfig: {
    colorMode: { defaultMode: 'dark', respectPrefersColorScheme: true },
    navbar: {
      title: 'Bowline',
      hideOnScroll: true,
      logo: { alt: '', src: 'img/mark.svg' },
      items: [{ href: 'pathname:///', label: 'Console', position: 'right' }],
    },
  },
}

// oxlint-disable-next-line import/no-default-export -- Docusaurus reads the default export
export default config
