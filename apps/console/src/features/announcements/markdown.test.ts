import { describe, expect, it } from 'vitest'
import { parseInline, parseMarkdown } from './markdown.ts'

describe('markdown', () => {
  it('parses Markdown block by block', () => {
    const text = '# Title\n\nTwo\nlines\n\n- a\n- b\n\n1. one\n\n> said\n\n```\n# code\n```\n---\n'
    expect(parseMarkdown(text).map(({ kind }) => kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'list',
      'quote',
      'code',
      'rule',
    ])
  })

  it('parses emphasis, code and links', () => {
    expect(parseInline('a **b** *c* `d` [e](https://example.com/x) https://example.com')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'strong', inner: [{ kind: 'text', text: 'b' }] },
      { kind: 'text', text: ' ' },
      { kind: 'emphasis', inner: [{ kind: 'text', text: 'c' }] },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'd' },
      { kind: 'text', text: ' ' },
      { kind: 'link', href: 'https://example.com/x', inner: [{ kind: 'text', text: 'e' }] },
      { kind: 'text', text: ' ' },
      { kind: 'link', href: 'https://example.com/', inner: [{ kind: 'text', text: 'https://example.com' }] },
    ])
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', '/settings', 'java\tscript:x', 'vbscript:x'])(
    'never links to %s',
    (target) => {
      expect(JSON.stringify(parseMarkdown(`[x](${target})`))).not.toContain('"link"')
    },
  )

  it('keeps HTML markup as text', () => {
    expect(parseMarkdown('<img src=x onerror=alert(1)>')).toEqual([
      { kind: 'paragraph', inner: [{ kind: 'text', text: '<img src=x onerror=alert(1)>' }] },
    ])
  })

  it('terminates on unbounded nesting', () => {
    expect(parseMarkdown('**'.repeat(5_000) + '[['.repeat(5_000))).toHaveLength(1)
  })
})
