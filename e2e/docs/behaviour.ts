// A behaviour of the site, as one row: a sentence and its test.
import type { BrowserContextOptions, Page } from 'playwright-core'

export interface Visit {
  readonly page: Page
  /** Opens a page below the site's base URL and waits until it is interactive. */
  readonly open: (path: string) => Promise<void>
  /** Base URL of the site. */
  readonly docs: string
  /** Console errors, without those that match `complaints`. */
  readonly errors: readonly string[]
}

export interface Behaviour {
  readonly sentence: string
  readonly options?: BrowserContextOptions
  /** Errors that the behaviour provokes. */
  readonly complaints?: RegExp
  /** Keeps the announcement bar on screen; other rows start without it. */
  readonly announced?: boolean
  readonly check: (visit: Visit) => Promise<void>
}

/** Scroll position of a page, in pixels. */
export const scrollTop = (page: Page): Promise<number> => page.evaluate('Math.round(scrollY)')

export const scrollTo = (page: Page, top: number): Promise<unknown> => page.evaluate(`scrollTo(0, ${top})`)
