// Calls of the script's functions: words, and failures as statuses.
import { STATUS, type StatusCode } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'
import type { Answer, Helper } from './helper.ts'
import { wordOf } from './script.ts'

export type Word = string | number | Buffer
export type CallOptions = NonNullable<Parameters<Helper['call']>[1]> & {
  /** The function takes data, or changes what is open: it has the input of the loop. */
  readonly isDirect?: true
}

/** What programs say of failures, in the words of all of them. The first that matches counts. */
const FAILURES: readonly (readonly [RegExp, StatusCode])[] = [
  [/permission denied|operation not permitted|read-only file system/i, STATUS.permissionDenied],
  [/no such file|nonexist|not a directory|too many (levels of )?symbolic links/i, STATUS.noSuchFile],
  [/file ?name too long/i, STATUS.badMessage],
]
/** Words of a failure that are looked at, in bytes. */
const LAST_WORDS = 2_048

/**
 * Calls a function of the script.
 * @returns its output
 * @throws {Refusal} when it fails; {EngineError} when nothing can be called any more
 */
export async function ask(
  helper: Helper,
  name: string,
  words: readonly Word[],
  options: CallOptions = {},
): Promise<Buffer> {
  return outputOf(await begin(helper, name, words, options))
}

/** As {@link ask}, with the failures in the answer. The call is made before this returns. */
export function begin(
  helper: Helper,
  name: string,
  words: readonly Word[],
  options: CallOptions = {},
): Promise<Answer> {
  let [before, line] = ['', name]
  for (const [index, word] of words.entries()) {
    const part = Buffer.isBuffer(word) ? wordOf(word, `w${index}`) : { before: '', word: `'${word}'` }
    before += part.before
    line += ` ${part.word}`
  }
  return helper.call(`${options.isDirect ? '+' : ''}${before}${line}`, options)
}

/** @throws {Refusal} */
export function outputOf({ status, output }: Answer): Buffer {
  if (status === 0) return output
  const words = output.subarray(-LAST_WORDS).toString('latin1')
  throw new Refusal(FAILURES.find(([pattern]) => pattern.test(words))?.[1] ?? STATUS.failure)
}
