// Reads the commands and files of the operator pages: the fences marked `bash release`, and the files whose fences are
// titled with their path, in page order.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../support/product.ts'

export type Step = { readonly script: string } | { readonly file: string; readonly text: string }

/** @param page relative to the folder of the documentation's pages */
export async function stepsOf(page: string): Promise<Step[]> {
  const text = await readFile(join(root, 'apps/docs/content', page), 'utf8')
  const fences = text.matchAll(/^( *)```(bash release|ini title="([^"]+)"[^\n]*)\n([\s\S]*?)^ *```/gm)
  return [...fences].map(([, indent = '', , file, body = '']) => {
    const code = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return file === undefined ? { script: code } : { file, text: code }
  })
}
