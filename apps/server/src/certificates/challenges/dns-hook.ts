// dns-01 (RFC 8555 section 8.4) by the operator's program: it adds and removes a TXT record.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { AcmeError, printable } from '../acme/errors.ts'

/** Records take some minutes to reach all name servers; the program waits for that. A stopping server waits for a removal. */
const TIMEOUTS_MS = { add: 300_000, remove: 15_000 }
const MAX_OUTPUT_BYTES = 65_536

/** Name and value of the record that proves a name. @param answer token and thumbprint */
export function recordOf(name: string, answer: string): { readonly record: string; readonly value: string } {
  return { record: `_acme-challenge.${name}`, value: createHash('sha256').update(answer).digest('base64url') }
}

/**
 * Runs the program, without a shell.
 * @param signal ends it
 * @throws {AcmeError} with its status and the last line of its error output
 */
export function runHook(
  program: string,
  action: 'add' | 'remove',
  { record, value }: { readonly record: string; readonly value: string },
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: TIMEOUTS_MS[action],
      maxBuffer: MAX_OUTPUT_BYTES,
      signal,
      env: environment(process.env),
      cwd: '/',
    }
    execFile(program, [action, record, value], options, (error, _, errors) => {
      if (!error) return resolve()
      const said = printable(errors.trimEnd().split('\n').at(-1) ?? '')
      reject(
        new AcmeError(
          `BOWLINE_ACME_DNS_HOOK could not ${action} ${record} (${outcomeOf(error, action)})${said && `: ${said}`}`,
        ),
      )
    }).stdin?.end()
  })
}

/** What the program may know: nothing of this server's settings, some of which are secrets. */
function environment(all: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('BOWLINE_')))
}

function outcomeOf(
  { code, killed }: { readonly code?: number | string | null; readonly killed?: boolean },
  action: 'add' | 'remove',
): string {
  if (killed === true) return `still running after ${TIMEOUTS_MS[action] / 1_000} s`
  return typeof code === 'number' ? `status ${code}` : (code ?? 'ended by a signal')
}
