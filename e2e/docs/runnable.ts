// Collects the commands of pages that tests execute: fences marked `bash run`. A further word names what the page needs
// besides an account: `pending` a pending device, `code` a device that shows a code, `member` a second member, `cloud` a server of the cloud edition with the
// double of its payment provider.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

/**
 * Runs the commands of a page, with `bowline` as on an installed system.
 * @throws with the output when a command fails
 */
export async function runPage(
  { script }: RunnablePage,
  environment: Readonly<Record<string, string>>,
): Promise<{ stdout: string; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-docs-'))
  try {
    const program = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/bowline.js')}' "$@"\n`
    await writeFile(join(folder, 'bowline'), program, { mode: 0o755 })
    const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, ...environment }
    return await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: folder, env })
  } finally {
    await rm(folder, { recursive: true })
  }
}

const outdent = (code: string, indent: string): string =>
  code
    .split('\n')
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
