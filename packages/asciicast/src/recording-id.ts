// Finds the recording id that a file claims, for users who only have the file.
import { readChainLine } from './chain.ts'
import { readIdentityLine } from './identity.ts'

/** Id of the recording that a line names; undefined for most lines. Untrusted until the file is verified. */
export function recordingNamedBy(line: string): string | undefined {
  if (!line.startsWith('#')) return undefined
  const mark = readChainLine(line)
  return readIdentityLine(line)?.identity.recording ?? (mark?.kind === 'seal' ? mark.seal.recording : undefined)
}
