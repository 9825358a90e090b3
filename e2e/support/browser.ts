// Runs the host's Chromium for tests of pages. `CHROMIUM` names another binary.
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright-core'

/** Flags for running in a container without GPU, sandbox or network. */
export const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** @param flags beside those of every browser */
export function launchBrowser(...flags: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...flags] })
}

const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('the content security policy refused ' + event.violatedDirective + ': ' + event.blockedURI))`

export interface WatchedPage {
  readonly context: BrowserContext
  readonly page: Page
  /** Uncaught errors, CSP violations and console errors so far, except failed loads that match `allowed`. */
  readonly complaints: string[]
}

/**
 * Opens a page in a fresh profile and records its errors.
 * @param allowed matches console messages that a test provokes on purpose (such as a failed call)
 */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions,
  allowed: RegExp = /status of 4(01|29)/,
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  // Chromium reports some violations only to the page, not to its console, such as those that a script catches.
  await page.addInitScript(REPORT_VIOLATIONS)
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !allowed.test(message.text())) complaints.push(message.text())
  })
  return { context, page, complaints }
}
