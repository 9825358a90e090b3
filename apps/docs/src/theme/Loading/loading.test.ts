// What stands in the place of a page that is being loaded.
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import Loading from './index.tsx'

const markup = (state: { error?: unknown; pastDelay?: boolean }): string =>
  renderToStaticMarkup(
    createElement(Loading, {
      isLoading: true,
      timedOut: false,
      pastDelay: false,
      error: null,
      retry: () => undefined,
      ...state,
    }),
  )

describe('a page that is loaded on demand', () => {
  it('has a spinner in its place, unless it comes at once', () => {
    expect(markup({})).toBe('')
    expect(markup({ pastDelay: true })).toContain('aria-label="Loading"')
  })

  it('that failed has an error box with a Retry button in its place', () => {
    const box = markup({ error: new Error('Loading chunk 7 failed.') })
    expect(box).toContain('role="alert"')
    expect(box).toContain('Loading chunk 7 failed.')
    expect(box).toMatch(/<button[^>]*>Retry<\/button>/)
  })
})
