// Reads the commands and files of the operator pages: the fences marked `bash` and the word of a test, and the files
// whose fences are titled with their path, in page order.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../support/product.ts'

export type Step = { readonly script: string } | { readonly file: string; readonly text: string }

/** Where commands run; the second word of their fence. */
export type Mark = 'release' | 'checkout' | 'apt' | 'compose' | 'haproxy' | 'promtool'

/** @param page relative to the folder of the documentation's pages */
export async function stepsOf(page: string, mark: Mark): Promise<Step[]> {
  const text = await readFile(join(root, 'apps/docs/content', page), 'utf8')
  const pattern = `^( *)\`\`\`(bash ${mark}|ini title="([^"]+)"[^\\n]*)\\n([\\s\\S]*?)^ *\`\`\``
  return [...text.matchAll(new RegExp(pattern, 'gm'))].map(([, indent = '', , file, body = '']) => {
    const code = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return file === undefined ? { script: code } : { file, text: code }
  })
}

/** The commands alone, as one script. */
export async function scriptOf(page: string, mark: Mark): Promise<string> {
  const steps = await stepsOf(page, mark)
  return steps.map((step) => ('script' in step ? step.script : '')).join('')
}
