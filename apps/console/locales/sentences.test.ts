import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ANSWERS, END_SENTENCES, RELEASE_REASONS } from './server-texts.ts'
import { UPDATE_REASONS } from './update-reasons.ts'

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

const ANSWER =
  /(?:answer: |FetchRefused\(|refuse\(|refused: |refused = |return |\? |: )['`]((?:It |it |its |Not |The server |The rule |\$\{host\} )[^'`]+)['`]/g

/** Sources of what became of a message. */
it.each([
  'apps/server/src/alerts/sending.ts',
  'apps/server/src/audit-streams/sending.ts',
  'apps/server/src/platform/network/guarded-fetch.ts',
  'apps/server/src/platform/network/egress.ts',
])('has a translation for every answer of %s', (file) => {
  const found = [...readFileSync(join(root, file), 'utf8').matchAll(ANSWER)].map(([, answer = '']) => unvalued(answer))
  expect(found.length).toBeGreaterThan(2)
  expect(found.filter((answer) => !ANSWERS.some((one) => unvalued(one) === answer))).toEqual([])
})

const REASON = /(?:reason|fault): ['`]((?:its |it |the )[^'`]+)['`]/g

/** Sources of why agents get no updates from a server. */
it.each(['apps/server/src/install/manifest.ts', 'packages/link/src/updates/manifest.ts'])(
  'has a translation for every reason of %s',
  (file) => {
    const found = [...readFileSync(join(root, file), 'utf8').matchAll(REASON)].map(([, reason = '']) =>
      unvalued(reason),
    )
    expect(found.length).toBeGreaterThan(2)
    expect(found.filter((reason) => !RELEASE_REASONS.some((one) => unvalued(one) === reason))).toEqual([])
  },
)

const UPDATE_REASON =
  /(?:return |\? |: |text: |NO_UPDATE_KEY = |previous\(updates, |OLDER_NODES = |PrepareError\()['`]((?:the |it |no |less |a server |updates |another |BOWLINE_)[^'`]+)['`]/g

/** Sources of why a rollout waits or was halted, and why agents are not updated. */
it.each([
  'apps/server/src/agent-updates/progress.ts',
  'apps/server/src/agent-updates/service.ts',
  'apps/server/src/compose/files.ts',
  'apps/agent/src/own-package.ts',
  'apps/agent/src/service/update-command.ts',
  'apps/agent/src/updates/updater.ts',
])('has a translation for every reason of an update in %s', (file) => {
  const source = readFileSync(join(root, file), 'utf8')
  const found = [...source.matchAll(UPDATE_REASON)].map(([, reason = '']) => unvalued(reason))
  expect(found).not.toEqual([])
  expect(found.filter((reason) => !UPDATE_REASONS.some((one) => unvalued(one) === reason))).toEqual([])
})

/** Names of values differ. */
const unvalued = (text: string): string => text.replaceAll(/\$?\{[^}]+\}/g, '{}')
