import { expect, it } from 'vitest'
import type { PasteRisk } from './judge-paste.ts'
import { createPasting } from './pasting.ts'

function terminal(isBracketed = false) {
  const inserted: string[] = []
  const risks = new Set<PasteRisk>()
  const pasting = createPasting({
    choice: () => 'auto',
    isBracketed: () => isBracketed,
    accepted: () => risks,
    insert: (text) => void inserted.push(text),
  })
  return { inserted, pasting }
}

it('sends nothing of a risky paste before it is confirmed, and nothing after it is cancelled', () => {
  const { inserted, pasting } = terminal()
  pasting.paste('a\nb')
  expect(pasting.question.get()).toEqual({ text: 'a\nb', risk: 'lines' })
  expect(inserted).toEqual([])
  pasting.cancel()
  expect(pasting.question.get()).toBeUndefined()
  expect(inserted).toEqual([])
  pasting.paste('a\nb')
  pasting.confirm('a b', false)
  expect(inserted).toEqual(['a b'])
})

it('remembers an answer for the tab and its kind of risk only', () => {
  const { inserted, pasting } = terminal()
  pasting.paste('a\nb')
  pasting.confirm('a\nb', true)
  pasting.paste('c\nd')
  expect(inserted).toEqual(['a\nb', 'c\nd'])
  pasting.paste('e\u0003')
  expect(pasting.question.get()?.risk).toBe('controls')
})

it('removes marks from a bracketed paste that would end it', () => {
  const { inserted, pasting } = terminal(true)
  pasting.paste('a\u001B[201~\nrm')
  pasting.confirm('a\u001B[201~\nrm', false)
  expect(inserted).toEqual(['a\nrm'])
})
