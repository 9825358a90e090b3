// The console's build: base `/`, hashed assets, nothing inlined (the server's CSP allows no inline script and no data
// fonts). `vite` serves it for development against the server named by CONSOLE_API.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { type Plugin, defineConfig } from 'vite'
import { compressFiles } from '../../scripts/compress-files.ts'
import { contractCalls, withoutJsonSchemas } from './build/contract-calls.ts'
import { readCatalog, translationsOf } from './locales/catalog.ts'

const api = process.env['CONSOLE_API'] ?? 'http://127.0.0.1:8080'

/** What only some pages say of the contract comes with them. */
const LATER =
  /\/contract\/src\/(terminal\/|settings\/|(operations|schemas)\/(announcement|api-key|audit|billing|connector|firewall|fleet\/(access|agent|alert|audit|device-jobs|install|pairing|presence|roles|snippets)|instance|mail|mfa|passkey|policy\/|programs?|public-key|recording|scim|single-sign-on|tags\.|terminal|tunnel|users\.))/

function isFirstContract(module: string): boolean {
  return /node_modules\/zod\/|packages\/contract\/src\//.test(module) && !LATER.test(module)
}

/** Half of it, as building what checks answers takes a slow machine long. */
const isFirstSchema = (module: string): boolean => isFirstContract(module) && /contract\/src\/schemas\//.test(module)

/** Modules that run before the console does. */
const FIRST = /console\/src\/(start|no-eval|platform\/(local-setting|next-task|language\/languages?))\.ts/

/** Parts that every list has: one file of them is smaller than many. */
const LISTS =
  /console\/src\/(platform\/|auth\/|live\/|core\/list-filter|core\/use-action|core\/messages|ui\/(?:\w+\/)?(back-link|callout|cells|copy-|data-table|describe-error|document-title|empty-state|error-panel|field-errors|focus-keeper|gated|notify|numbers|page|paged-table|pager|search-field|status-dot|tab-bar|ticker|time-ago|use-theme|use-unsaved))/

/** What the devices page has beside them: the first page of most visits. */
const DEVICES =
  /console\/src\/(core\/(context|use-dialog-file|use-list-export|sections|devices\/(?!device-picker))|shell\/use-sign-out|ui\/(controls\/(choice-menu|columns-choice|display-menu)|list\/density|text\/save-file)|features\/(devices\/(list\/|actions|accept-device|copy-ssh|device-row-actions|devices\.module|favorites|add\/(commands|install-command))|files\/(files-button|open-messages)|health\/(health\.module|messages|trouble-marks|values)|terminal\/connect-|namespaces\/messages|public-keys\/queries|audit\/search|views\/(messages|queries|saved-query|views)))|components\/Kbd\//

/** Texts of the sections that the palette lists: one file, as a request for each takes longer than reading all. */
const PALETTE_TEXTS =
  /features\/((billing|profile|provisioning|settings|shared-snippets|team)\/(identity-)?messages|sessions\/(messages|session-name)|tags\/queries|terminal\/windows\/pop-out)|core\/recent\/|contract\/src\/operations\/tags\./

/** The server compresses no file itself: it sends what lies beside. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
      // Few files, loaded by everybody: as small as can be.
      await compressFiles(
        files.map((file) => join(dir, file)),
        11,
      )
    },
  }
}

/** Files whose requests come first. */
const AT_ONCE = 4

/** The page fetches the console beside its entry, which runs one file after the other once the language is there. */
function preloaded(): Plugin {
  return {
    name: 'preloaded',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('console/src/main.tsx'))
        if (!main) throw new Error('The build has no console/src/main.tsx.')
        const signIn = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('sign-in/sign-in-route.tsx'))
        if (!signIn) throw new Error('The build has no sign-in/sign-in-route.tsx.')
        const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]))
        const first = soonestFirst(importsFirst(main.fileName, imports), imports)
        const next = importsFirst(signIn.fileName, imports).filter((file) => !first.includes(file))
        const ofSignIn = { name: 'sign-in-files', content: next.map((file) => `/${file}`).join(' ') }
        const links = first.map((file, at) => ({
          tag: 'link',
          attrs: {
            rel: 'modulepreload',
            crossorigin: true,
            href: `/${file}`,
            // Behind the first answers of the API, for which early.js asks: of HTTP/1.1 a browser opens six connections.
            ...(at >= AT_ONCE && { fetchpriority: 'low' }),
          },
          injectTo: 'head' as const,
        }))
        return [{ tag: 'meta', attrs: ofSignIn, injectTo: 'head-prepend' }, ...links]
      },
    },
  }
}

/** @returns the file and all that it imports, each after what it imports itself */
function importsFirst(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  seen = new Set<string>(),
): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  return [...(imports.get(file) ?? []).flatMap((one) => importsFirst(one, imports, seen)), file]
}

/** Files that need no others have their turn first: they run while the others are still on their way. */
function soonestFirst(files: readonly string[], imports: ReadonlyMap<string, readonly string[]>): string[] {
  const needsNone = (file: string): boolean => imports.get(file)?.length === 0
  return [...files.filter(needsNone), ...files.filter((file) => !needsNone(file))]
}

/** The browser draws the mark as soon as it has the page, without the stylesheet, and starts the console once that is there. */
function drawnFirst(): Plugin {
  return {
    name: 'drawn-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [sheet] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? []
        const address = /href="([^"]+)"/.exec(sheet ?? '')?.[1]
        if (!sheet || !address) throw new Error('The page has no stylesheet.')
        // Asked for at once, all the same.
        const early = `<link rel="preload" as="style" crossorigin href="${address}">`
        const own = (name: string): string => readFileSync(join(import.meta.dirname, 'public', name), 'utf8')
        const mark = `data:image/svg+xml;base64,${Buffer.from(own('icon.svg').replaceAll(/\n\s*/g, '')).toString('base64')}`
        return html
          .replaceAll(
            /<script src="\/(early|theme)\.js"><\/script>/g,
            (_, name) => `<script>${own(`${name}.js`)}</script>`,
          )
          .replace('<img src="/icon.svg"', `<img src="${mark}"`)
          .replace(sheet, early)
          .replace('<div id="root">', `${sheet}\n    <div id="root">`)
      },
    },
  }
}

/** Catalogs of translations: a PO file is a module of its texts. */
function catalogs(): Plugin {
  return {
    name: 'catalogs',
    load(id) {
      if (!id.endsWith('.po')) return null
      this.addWatchFile(id)
      return `export default ${JSON.stringify(translationsOf(readCatalog(id)))}`
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [contractCalls(), withoutJsonSchemas(), react(), catalogs(), preloaded(), drawnFirst(), compressed()],
  server: { host: '127.0.0.1', port: 5173, proxy: { '/api': api, '/info': api, '/install.sh': api } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // One stylesheet: all of them compress to hardly more than what the first page needs, and a page whose stylesheet fails
    // to load while the browser preloads it would be shown without it, as Vite asks only once.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // Libraries change rarely: their own files stay cached when only the console changes.
        codeSplitting: {
          groups: [
            { name: 'start', test: FIRST },
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: 'mantine',
              test: /node_modules\/@mantine\/(core\/esm\/(core|utils\/(?!Floating)|components\/(Button|Checkbox|CloseButton|FocusTrap|InlineInput|Input|Loader|Overlay|Portal|Stack|Transition|VisuallyHidden))|hooks)\//,
            },
            {
              name: 'overlays',
              test: /node_modules\/(@mantine\/core\/esm\/(utils\/Floating|components\/(Modal|Paper|Popover|Menu|ScrollArea))|@floating-ui|react-remove-scroll)\//,
            },
            // Two tasks, as each takes a slow machine long.
            { name: 'zod', test: /node_modules\/zod\// },
            { name: 'schemas', test: isFirstSchema },
            { name: 'contract', test: isFirstContract },
            { name: 'tanstack', test: /node_modules\/@tanstack\// },
            // An icon in a file of its own is mostly the head of its answer.
            { name: 'icons', test: /node_modules\/lucide-react\/dist\/esm\/icons\//, minShareCount: 2 },
            { name: 'lists', test: LISTS },
            { name: 'devices', test: DEVICES },
            { name: 'palette-texts', test: PALETTE_TEXTS },
          ],
        },
      },
    },
  },
})
