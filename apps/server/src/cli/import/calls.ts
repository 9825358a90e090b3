// Calls of an import, which may be asked for a second factor, and what they say when they are refused.
import { ApiError } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { ServerClient } from '../client/client.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Calls that ask for a code of the authenticator where the server wants a fresh proof.
 * @throws {Error} when it wants one and nobody can be asked
 */
export function provingCalls(terminal: Terminal, call: ServerClient['call']): ServerClient['call'] {
  return async (operation, input) => {
    try {
      return await call(operation, input)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'FRESH_PROOF_REQUIRED') throw error
      if (!terminal.ask) {
        throw new Error(
          'This namespace asks for your second factor before such changes: run the command in a terminal.',
          {
            cause: error,
          },
        )
      }
      const code = await terminal.ask('Code of your authenticator: ')
      await call(operations.mfa.prove, { body: { code: code.trim() } })
      return call(operation, input)
    }
  }
}

/**
 * Why the server has refused one thing.
 * @throws {unknown} what was thrown, where it is about more than this one
 */
export function refusalOf(error: unknown): string {
  const isOwn = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401
  if (!isOwn || error.code === 'FRESH_PROOF_REQUIRED') throw error
  return error.message
}

/** Reads every page of a list. */
export async function everyPage<Item>(
  read: (query: { page: string; per_page: string }) => Promise<{ body: readonly Item[]; total: number }>,
): Promise<Item[]> {
  const all: Item[] = []
  for (let page = 1; ; page += 1) {
    const { body, total } = await read({ page: String(page), per_page: '100' })
    all.push(...body)
    if (body.length === 0 || all.length >= total) return all
  }
}
