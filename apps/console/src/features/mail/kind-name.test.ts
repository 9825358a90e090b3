import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { kindDescription, kindName } from './kind-name.ts'

const drafts = readFileSync(new URL('../../../../server/src/mails/render/drafts.ts', import.meta.url), 'utf8')
const [, texts = ''] = drafts.split('const DRAFTS')
const KINDS = [...texts.matchAll(/^ {2}'?([a-z-]+)'?: \(\{/gm)].map(([, kind = '']) => kind)

it('finds the kinds of mail that the server sends', () => {
  expect(KINDS).toEqual(expect.arrayContaining(['confirm', 'access-decided', 'test']))
})

it.each(KINDS)('names and describes %s', (kind) => {
  expect(kindName(kind)).not.toBe(kind)
  expect(kindDescription(kind)).toMatch(/^To .+\.$/)
})

it('shows the id of an unknown kind', () => {
  expect(kindName('postcard')).toBe('postcard')
  expect(kindDescription('postcard')).toBe('')
})
