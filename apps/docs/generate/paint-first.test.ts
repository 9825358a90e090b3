// Tests of deferring a page's scripts until after its first frame.
import { describe, expect, it } from 'vitest'
import { paintFirst } from './paint-first.ts'

describe('a page', () => {
  it.each([
    '<script src=/a.js defer></script><script src=/b.js defer></script>',
    '<script src="/a.js" defer=""></script>',
  ])('fetches its scripts at once and runs them in their order after the first frame: %s', (scripts) => {
    const html = paintFirst(`<head><script>inline</script>${scripts}</head>`)
    expect(html).toContain('<script>inline</script><link rel="preload" as="script" fetchpriority="low" href="/a.js">')
    expect(html).not.toContain('defer')
    expect(html).toContain(scripts.includes('b.js') ? '["/a.js","/b.js"].forEach' : '["/a.js"].forEach')
    expect(html.match(/requestAnimationFrame/g)).toHaveLength(1)
  })

  it('leaves a page without scripts unchanged', () => {
    expect(paintFirst('<p>text</p>')).toBe('<p>text</p>')
  })
})
