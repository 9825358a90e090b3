// What pages quote is what the product says: messages, metrics and settings are looked up in the sources.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/product.ts'

const CONTENT = join(root, 'apps/docs/content')
/** Said by OpenSSH. */
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
  // A text may be written over several lines, and hold what is put in at run time.
  return texts.join('\n').replaceAll(/['"`]\s*\+\s*['"`]/g, '')
}

/** The first cells of the tables of a page, below some headings. */
async function firstCells(page: string, headings: RegExp): Promise<string[]> {
  const parts = (await readFile(join(CONTENT, page), 'utf8')).split(/^## /m).filter((part) => headings.test(part))
  return parts.flatMap((part) => [...part.matchAll(/^\| `([^`]+)`/gm)].map(([, text = '']) => text))
}

it('messages under Troubleshooting are in the product, letter for letter', async () => {
  const texts = await firstCells('self-hosted/troubleshooting.mdx', /^What .* says/)
  expect(texts.length).toBeGreaterThan(20)
  const all = await sources()
  const unknown = texts
    .filter((text) => !OF_THE_CLIENT.includes(text))
    .filter((text) => !text.split(/…|BOWLINE_\w+/).every((part) => all.includes(part.trim())))
  expect(unknown).toEqual([])
})

it('metrics under Administration are in the product', async () => {
  const names = (await firstCells('self-hosted/administration.md', /^Metrics/)).filter((name) =>
    name.startsWith('bowline'),
  )
  const all = await sources()
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !all.includes(name))).toEqual([])
})
