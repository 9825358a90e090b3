import { SEARCH_KEYWORDS } from '@bowline/contract/schemas/lists/device-search'
import { expect, it } from 'vitest'
import { completedText, completionsOf, facetOf, wordAt } from './completions.ts'

const VALUES = [
  { value: 'garden', count: 4 },
  { value: 'kiosk', count: 3 },
  { value: 'Debian GNU/Linux 13 (trixie)', count: 2 },
  { value: 'old-kiosk', count: 1 },
]
/** `|` is the cursor. */
const at = (marked: string) => {
  const caret = marked.indexOf('|')
  return { text: marked.replace('|', ''), word: wordAt(marked.replace('|', ''), caret) }
}
const offered = (marked: string) => completionsOf(at(marked).word, VALUES).map(({ text }) => text)

it.each([
  ['|', [...Object.keys(SEARCH_KEYWORDS), 'is'].map((keyword) => `${keyword}:`)],
  ['a|', ['arch:', 'agent:']],
  ['lab TA|', ['tag:']],
  ['-|', [...Object.keys(SEARCH_KEYWORDS), 'is'].map((keyword) => `-${keyword}:`)],
  ['lab -n|', ['-name:', '-note:']],
  ['is:|', ['is:online ', 'is:offline ']],
  ['-is:of|', ['-is:offline ']],
  ['is:online|', []],
  ['tag:|', ['tag:garden ', 'tag:kiosk ', 'tag:"Debian GNU/Linux 13 (trixie)" ', 'tag:old-kiosk ']],
  ['-tag:ki|', ['-tag:kiosk ', '-tag:old-kiosk ']],
  ['tag:garden|', []],
  ['os:deb|', ['os:"Debian GNU/Linux 13 (trixie)" ']],
  ['-os:deb|', ['-os:"Debian GNU/Linux 13 (trixie)" ']],
  ['os:"debian gnu|', ['os:"Debian GNU/Linux 13 (trixie)" ']],
  ['gar|', ['tag:garden ']],
  ['name:gate|', []],
  ['02:00:|', []],
])('offers for %j %j', (marked, expected) => {
  expect(offered(marked)).toEqual(expected)
})

it.each([
  ['tag:ki|', ['3 devices', '1 device']],
  // Those are the devices that the words leave out.
  ['-tag:ki|', ['', '']],
  ['-kio|', ['']],
  ['-is:|', ['not connected', 'connected']],
  ['-ta|', ['does not have the tag']],
])('notes beside what it offers for %j %j', (marked, expected) => {
  expect(completionsOf(at(marked).word, VALUES).map(({ note }) => note)).toEqual(expected)
})

it.each([
  ['tag:|', 'tag'],
  ['os:|', 'system'],
  ['arch:|', 'arch'],
  ['agent:0|', 'version'],
  ['version:0|', 'version'],
  ['is:|', undefined],
  ['ip:|', undefined],
  ['g|', undefined],
  ['ga|', 'tag'],
])('asks for %j the values of %j', (marked, facet) => {
  expect(facetOf(at(marked).word)).toBe(facet)
})

it.each([
  ['lab ta| is:online', 'tag:', 'lab tag:| is:online'],
  ['tag:ki|osk is:online', 'tag:kiosk ', 'tag:kiosk |is:online'],
  ['os:"deb|ian" x', 'os:"Debian 13" ', 'os:"Debian 13" |x'],
])('replaces the word of %j by %j', (marked, text, expected) => {
  const { text: before, word } = at(marked)
  const after = completedText(before, word, { text, note: '' })
  expect(`${after.text.slice(0, after.caret)}|${after.text.slice(after.caret)}`).toBe(expected)
})
