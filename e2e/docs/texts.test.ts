// Checks quotations in pages against the sources: messages, metrics and settings.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/product.ts'

const CONTENT = join(root, 'apps/docs/content')
/** Messages of OpenSSH. */
const OF_THE_CLIENT = [
  'Permission denied',
  'REMOTE HOST IDENTIFICATION HAS CHANGED',
  'no matching key exchange method found',
]

async function sources(): Promise<string> {
  const texts: string[] = []
  for (const part of [
    'apps/server/src',
    'apps/agent/src',
    'packages/contract/src',
    'packages/ssh/src',
    'packages/link/src',
  ]) {
    for (const name of await readdir(join(root, part), { recursive: true })) {
      if (/(?<!\.test)\.(ts|sh)$/.test(name)) texts.push(await readFile(join(root, part, name), 'utf8'))
    }
  }
  // A message may span several lines and contain placeholders.
  return texts.join('\n').replaceAll(/['"`]\s*\+\s*['"`]/g, '')
}

/** First cells of a page's tables below some headings. */
async function firstCells(page: string, headings: RegExp): Promise<string[]> {
  const parts = (await readFile(join(CONTENT, page), 'utf8')).split(/^## /m).filter((part) => headings.test(part))
  return parts.flatMap((part) => [...part.matchAll(/^\| `([^`]+)`/gm)].map(([, text = '']) => text))
}

it('quotes messages under Troubleshooting letter for letter', async () => {
  const texts = await firstCells('self-hosted/troubleshooting.mdx', /^What .* says/)
  expect(texts.length).toBeGreaterThan(20)
  const all = await sources()
  const unknown = texts
    .filter((text) => !OF_THE_CLIENT.includes(text))
    .filter((text) => !text.split(/…|BOWLINE_\w+/).every((part) => all.includes(part.trim())))
  expect(unknown).toEqual([])
})

it('lists existing metrics under Administration', async () => {
  const names = (await firstCells('self-hosted/administration.md', /^Metrics/)).filter((name) =>
    name.startsWith('bowline'),
  )
  const all = await sources()
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !all.includes(name))).toEqual([])
})

it.each(['deploying', 'upgrading', 'checking', 'balancers', 'monitoring'])(
  'marks each command with where a test runs it, or why none does: %s',
  async (page) => {
    const text = await readFile(join(CONTENT, `self-hosted/${page}.md`), 'utf8')
    const fences = [...text.matchAll(/^ *```((?:bash|sh)\b.*)$/gm)].map(([, info = '']) => info)
    expect(fences.length).toBeGreaterThan(0)
    const isMarked = /^bash (?:(?:run|release|checkout|compose|haproxy|promtool)$|.*\bnot-run="[^"]+")/
    expect(fences.filter((info) => !isMarked.test(info))).toEqual([])
  },
)
