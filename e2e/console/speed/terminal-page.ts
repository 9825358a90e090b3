// A page with nothing but the console's own terminal screen.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { build } from 'vite'
import { root } from '../../support/product.ts'

const ORIGIN = 'http://screen.localhost'
const ENTRY = 'src/testing/bare-terminal.ts'

/** @returns measures the milliseconds until the page has shown bytes from memory */
export async function openTerminalPage(page: Page): Promise<(bytes: Uint8Array) => Promise<number>> {
  const built = await build({
    root: join(root, 'apps/console'),
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Texts in English are in the sources.
    build: {
      write: false,
      rolldownOptions: { moduleTypes: { '.po': 'text' } },
      lib: { entry: ENTRY, formats: ['iife'], name: 'page', fileName: 'page' },
    },
  })
  const files = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const named = (end: string): string =>
    files
      .flatMap((file) => (file.fileName.endsWith(end) ? (file.type === 'chunk' ? file.code : file.source) : []))
      .join('')
  const html = `<!doctype html><style>${named('.css')} main { position: fixed; inset: 0 }</style><main></main>`
  let wanted: Uint8Array = new Uint8Array(0)
  await page.route(`${ORIGIN}/**`, (route) =>
    new URL(route.request().url()).pathname === '/bytes'
      ? route.fulfill({ body: Buffer.from(wanted) })
      : route.fulfill({ contentType: 'text/html', body: html }),
  )
  await page.goto(`${ORIGIN}/`)
  await page.addScriptTag({ content: named('.js') })
  return async (bytes) => {
    wanted = bytes
    const script = `fetch('/bytes').then(async (got) => timeOf(new Uint8Array(await got.arrayBuffer())))`
    return Number(await page.evaluate(script))
  }
}
