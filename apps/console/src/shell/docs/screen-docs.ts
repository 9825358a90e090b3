// The chapter about a screen. Every screen has one: without an entry in the table this file does not compile.
import type { RegisteredRouter } from '@tanstack/react-router'
import { DOCS_PAGES } from './pages.ts'

type Path = keyof RegisteredRouter['routesByPath']

/** Screens of people who are not signed in: they say themselves what to do. */
type FrontPath =
  | '/sign-in'
  | '/sign-in/link'
  | '/login'
  | '/setup'
  | '/sign-up'
  | '/confirm-account'
  | '/validation-account'
  | '/forgot-password'
  | '/update-password'
  | '/accept-invite'
  | '/reset-mfa'
  | '/lost-device'

/** '/$' is any other address. */
type ScreenPath = Exclude<Path, FrontPath | '/$'>

const pages: Readonly<Record<ScreenPath, string>> = DOCS_PAGES
const pageOf: ReadonlyMap<string, string> = new Map(Object.entries(pages))

/** @returns undefined for an address that is no screen */
export function docsPageOf(path: string): string | undefined {
  return pageOf.get(path)
}
