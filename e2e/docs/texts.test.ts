// Checks quotations in pages against the sources: messages, metrics and settings.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../apps/server/src/cli/program.ts'
import type { Terminal } from '../../apps/server/src/cli/terminal.ts'
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

it('lists every metric of the server under Administration, and no other', async () => {
  const page = await readFile(join(CONTENT, 'self-hosted/administration.md'), 'utf8')
  const metrics = await readFile(join(root, 'apps/server/src/platform/metrics.ts'), 'utf8')
  const namesIn = (text: string, quote: string): string[] =>
    [...text.matchAll(new RegExp(`${quote}(bowline_\\w+)${quote}`, 'g'))].map(([, name = '']) => name).toSorted()
  expect(namesIn(page, '`')).toEqual(namesIn(metrics, "'"))
})

it.each(['deploying', 'upgrading', 'checking', 'balancers', 'monitoring'])(
  'marks each command with where a test runs it, or why none does: %s',
  async (page) => {
    const text = await readFile(join(CONTENT, `self-hosted/${page}.md`), 'utf8')
    const fences = [...text.matchAll(/^ *```((?:bash|sh)\b.*)$/gm)].map(([, info = '']) => info)
    expect(fences.length).toBeGreaterThan(0)
    const isMarked = /^bash (?:(?:run|release|checkout|apt|compose|haproxy|promtool)$|.*\bnot-run="[^"]+")/
    expect(fences.filter((info) => !isMarked.test(info))).toEqual([])
  },
)

it('lists every command of the server program under Reference, and no other', async () => {
  const page = await readFile(join(CONTENT, 'self-hosted/reference.mdx'), 'utf8')
  const table = page.split(/^## /m).find((part) => part.startsWith('Commands')) ?? ''
  const cells = [...table.matchAll(/^\| (`.*?`) \| /gm)].map(([, cell = '']) => cell.replaceAll('\\|', '|'))
  const spans = cells.flatMap((cell) => [...cell.matchAll(/`(?:bowline )?([a-z][^`]*)`/g)].map(([, span = '']) => span))
  const listed = spans.flatMap((span) => {
    const words = span.split(' ').filter((word) => /^[a-z]/.test(word))
    return (words.pop() ?? '').split('|').map((last) => [...words, last].join(' '))
  })
  const wanted = [...(await commandsBelow([])), 'agent', 'devices']
  expect(listed.toSorted()).toEqual(wanted.toSorted())
})

/** Commands without further ones, as their groups' help names them. */
async function commandsBelow(path: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const terminal: Terminal = { env: {}, print, complain: print, read: () => Promise.resolve('') }
  await runCommand([...path, '--help'], terminal)
  const [, list = ''] = lines.join('\n').split(/^Commands:$/m)
  const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
  if (names.length === 0) return [path.join(' ')]
  const below: string[] = []
  for (const name of names) below.push(...(await commandsBelow([...path, name])))
  return below
}
