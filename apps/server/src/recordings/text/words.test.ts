import { describe, expect, it } from 'vitest'
import { snippetOf } from './snippet.ts'
import { toQuery, wordsOf } from './words.ts'

describe('search words', () => {
  it.each([
    ['cat /etc/nginx/nginx.conf', ['cat', 'etc', 'nginx', 'nginx', 'conf']],
    ['MAX_open-files=1e5', ['max', 'open', 'files', '1e5']],
    ['Ｇrüße, naïve', ['grüße', 'naïve']],
    ['日本語 ok', ['日', '本', '語', 'ok']],
    ["o'neil \\ '", ['o', 'neil']],
    ['--- !!', []],
  ])('splits %j into search words', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it('requires all words of a query, and those of one term in sequence', () => {
    expect(toQuery('Error "no such file" /var/log* --')).toBe(
      "('error') & ('no' <-> 'such' <-> 'file') & ('var' <-> 'log':*)",
    )
    expect(toQuery(' -- "" ')).toBeUndefined()
  })
})

describe('snippetOf', () => {
  it('returns the line with most matches, marked', () => {
    const text = 'ls /etc\nnginx: configuration file /etc/nginx.conf is ok\nbye'
    const { snippet, matches } = snippetOf(text, 'nginx conf*')
    expect(snippet).toBe('nginx: configuration file /etc/nginx.conf is ok')
    expect(matches.map(({ from, to }) => snippet.slice(from, to))).toEqual(['nginx', 'configuration', 'nginx', 'conf'])
  })

  it('crops a long line around the match', () => {
    const { snippet, matches } = snippetOf(`${'x '.repeat(500)}needle ${'y '.repeat(500)}`, 'needle')
    expect(matches.map(({ from, to }) => snippet.slice(from, to))).toEqual(['needle'])
    expect(snippet.length).toBe(240)
  })
})
