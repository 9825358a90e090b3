// One behaviour of the site, told by a sentence of the specification.
import type { BrowserContextOptions, Page } from 'playwright-core'

export interface Visit {
  readonly page: Page
  /** Opens a page below the site's base address and waits until it can be used. */
  readonly open: (path: string) => Promise<void>
  /** Base address of the site. */
  readonly docs: string
  /** What the console said as errors, without those that `complaints` expects. */
  readonly errors: readonly string[]
}

export interface Behaviour {
  readonly sentence: string
  readonly options?: BrowserContextOptions
  /** Errors that the behaviour is about. */
  readonly complaints?: RegExp
  /** Leaves the announcement bar on screen; other rows start without it. */
  readonly announced?: boolean
  readonly check: (visit: Visit) => Promise<void>
}

/** How far down a page is, in pixels. */
export const scrollTop = (page: Page): Promise<number> => page.evaluate('Math.round(scrollY)')

export const scrollTo = (page: Page, top: number): Promise<unknown> => page.evaluate(`scrollTo(0, ${top})`)
