// Tests of the placeholder of a page that is loading.
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
  it('shows a spinner unless the page loads at once', () => {
    expect(markup({})).toBe('')
    expect(markup({ pastDelay: true })).toContain('aria-label="Loading"')
  })

  it('shows an error box with a Retry button when the page failed to load', () => {
    const box = markup({ error: new Error('Loading chunk 7 failed.') })
    expect(box).toContain('role="alert"')
    expect(box).toContain('Loading chunk 7 failed.')
    expect(box).toMatch(/<button[^>]*>Retry<\/button>/)
  })
})
