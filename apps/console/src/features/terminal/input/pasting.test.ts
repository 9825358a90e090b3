import { expect, it } from 'vitest'
import type { PasteRisk } from './judge-paste.ts'
import { createPasting } from './pasting.ts'

function terminal() {
  const inserted: string[] = []
  let targets = 1
  const risks = new Set<PasteRisk>()
  const pasting = createPasting({
    choice: () => 'auto',
    isBracketed: () => false,
    accepted: () => risks,
    countTargets: () => targets,
    insert: (text, enter) => void inserted.push(enter ? `${text}⏎` : text),
  })
  return { inserted, pasting, broadcastTo: (count: number) => (targets = count) }
}

it('sends nothing of a risky paste before it is confirmed, and nothing after it is cancelled', () => {
  const { inserted, pasting } = terminal()
  pasting.paste('a\nb')
  expect(pasting.question.get()).toEqual({ text: 'a\nb', enter: false, risk: 'lines' })
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

it('asks about every text that goes to several panes, whatever is accepted in the tab', () => {
  const { inserted, pasting, broadcastTo } = terminal()
  broadcastTo(3)
  pasting.paste('uptime')
  expect(pasting.question.get()?.risk).toBe('broadcast')
  pasting.confirm('uptime', true)
  pasting.paste('uptime', true)
  expect(inserted).toEqual(['uptime'])
  pasting.confirm('uptime', false)
  expect(inserted).toEqual(['uptime', 'uptime⏎'])
})
