import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { END_SENTENCES } from './server-texts.ts'

const root = join(import.meta.dirname, '../../..')
const SENTENCE = /message: ['`]([A-Z][^'`]+\.)['`]/g

/** Sources of causes that ends of sessions are stored with. */
it.each([
  'apps/server/src/sessions/service.ts',
  'apps/server/src/gateway/login/live-logins.ts',
  'apps/server/src/gateway/links/agents.ts',
  'apps/server/src/gateway/record/end-cause.ts',
])('has a translation for every sentence of %s', (file) => {
  const found = [...readFileSync(join(root, file), 'utf8').matchAll(SENTENCE)].map(([, sentence = '']) =>
    sentence.replaceAll('${', '{'),
  )
  expect(found).not.toEqual([])
  expect(found.filter((sentence) => !(END_SENTENCES as readonly string[]).includes(sentence))).toEqual([])
})
