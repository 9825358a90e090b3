// Collects the commands of pages that tests execute: fences marked `bash run`. A further word names what the page needs
// besides an account: `pending` a pending device, `member` a second member.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../support/product.ts'

const CONTENT = join(root, 'apps/docs/content')

export interface RunnablePage {
  /** Relative to the content folder. */
  readonly page: string
  /** All its runnable fences, in order, as one script. */
  readonly script: string
  readonly needs: ReadonlySet<string>
}

export async function runnablePages(): Promise<RunnablePage[]> {
  const names = await readdir(CONTENT, { recursive: true })
  const pages: RunnablePage[] = []
  for (const page of names.filter((name) => /[.]mdx?$/.test(name)).toSorted()) {
    const text = await readFile(join(CONTENT, page), 'utf8')
    const fences = [...text.matchAll(/^( *)```bash run *([\w ]*)\n([\s\S]*?)^ *```/gm)]
    if (fences.length === 0) continue
    const needs = new Set(fences.flatMap(([, , words = '']) => words.split(' ').filter((word) => word !== '')))
    pages.push({ page, needs, script: fences.map(([, indent = '', , code = '']) => outdent(code, indent)).join('\n') })
  }
  return pages
}

const outdent = (code: string, indent: string): string =>
  code
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
