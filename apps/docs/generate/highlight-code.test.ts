// Tests of fences as browsers receive them.
import { describe, expect, it } from 'vitest'
import { highlightCode } from './highlight-code.ts'

const fence = (language: string | undefined, value: string, meta?: string) => ({
  children: [
    {
      tagName: 'pre',
      children: [
        {
          tagName: 'code',
          properties: language === undefined ? {} : { className: [`language-${language}`] },
          data: { meta: meta ?? null },
          children: [{ value }],
        },
      ],
    },
  ],
})
function attributes(tree: ReturnType<typeof fence>): unknown {
  highlightCode()(tree)
  return { ...tree.children[0], children: undefined }
}

describe('code of a page', () => {
  it('highlights code by its language and keeps its title', () => {
    expect(attributes(fence('json', '{"a": 1}\n', 'title="example"'))).toMatchObject({
      properties: {
        'data-language': 'json',
        'data-title': 'example',
        'data-html': expect.stringContaining('<span class="token property">"a"</span>'),
      },
    })
  })

  it.each(['text', 'bash', undefined])('never turns code into markup: %s', (language) => {
    const { properties } = attributes(fence(language, '<img src=x> &amp;')) as { properties: Record<string, string> }
    expect(properties['data-html']).not.toContain('<img')
    expect(properties['data-html']).toContain('&lt;')
  })

  it('fails the build for a language that is not registered', () => {
    expect(() => attributes(fence('cobol', 'STOP RUN.'))).toThrow("'cobol'")
  })
})
