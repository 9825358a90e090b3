// A command and its echo at the prompt are two hits for one thing. Pure.
import type { RecordingHit } from '@bowline/contract/schemas/recording'

/** An output hit begins up to so long before the line that matched. */
const PASSAGE_SECONDS = 6

/** Without the output that only echoes a command, which is a hit itself. */
export function foldedHits(hits: readonly RecordingHit[]): RecordingHit[] {
  const commands = hits.filter(({ kind }) => kind === 'command')
  return hits.filter((hit) => hit.kind === 'command' || !commands.some((command) => isEcho(hit, command)))
}

function isEcho(output: RecordingHit, command: RecordingHit): boolean {
  const isNear = Math.abs(output.seconds - command.seconds) <= PASSAGE_SECONDS
  const isSame = output.session === command.session && output.seat === command.seat
  return isSame && isNear && output.snippet.trimEnd().endsWith(command.snippet.trim())
}
