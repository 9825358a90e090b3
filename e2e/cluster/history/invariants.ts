// What must hold in every history, whatever the faults. Each violation is a sentence that names who and what.
import { violationsOfLinks, violationsOfOwners } from './links.ts'
import type { Change, History } from './history.ts'

/** A device may be shown as online for this long after its link was lost. */
const SHOWN_MS = 60_000

/** Sentences about what does not hold; empty for a sound history. */
export function violationsOf(history: History): string[] {
  return [
    ...violationsOfLinks(history),
    ...violationsOfOwners(history),
    ...violationsOfSessions(history),
    ...violationsOfPresence(history),
    ...lost(history.acknowledged, history.kept, 'the row of', 'was acknowledged and is lost'),
    ...lost(sealedIn(history), history.intact, 'the sealed recording of session', 'is not intact'),
    ...history.outputs
      .filter(({ wanted, got }) => wanted !== got)
      .map(({ session }) => `the output of session ${session} is not what its device wrote`),
  ]
}

function lost(wanted: ReadonlySet<string>, found: ReadonlySet<string>, what: string, is: string): string[] {
  return [...wanted].filter((one) => !found.has(one)).map((one) => `${what} ${one} ${is}`)
}

function sealedIn({ changes }: History): Set<string> {
  return new Set(changes.flatMap((one) => (one.what === 'recording' && one.isSealed ? [one.session] : [])))
}

/** A session is closed once and stays so; those of nodes that do not run any more are closed. */
function violationsOfSessions({ changes, running }: History): string[] {
  const sessions = new Map<string, Change & { what: 'session' }>()
  const violations: string[] = []
  for (const change of changes) {
    if (change.what !== 'session') continue
    const before = sessions.get(change.uid)?.closed
    if (before !== undefined && change.closed !== before) {
      violations.push(`session ${change.uid} was closed as ${before}, then became ${change.closed ?? 'open'}`)
    }
    sessions.set(change.uid, change)
  }
  for (const { uid, node, closed } of sessions.values()) {
    if (closed === undefined && !running.has(node)) violations.push(`session ${uid} of node ${node} was never closed`)
  }
  return violations
}

/** Nobody sees a device as online whose agent has been without a link for too long. */
function violationsOfPresence({ shown, agentsSaid }: History): string[] {
  const violations = new Set<string>()
  for (const { at, node, device, online } of shown) {
    const said = agentsSaid.findLast((one) => one.device === device && one.at <= at)
    if (online && said?.isLinked === false && at - said.at > SHOWN_MS) {
      violations.add(`node ${node} shows device ${device} as online, whose link was lost over a minute before`)
    }
  }
  return [...violations]
}
