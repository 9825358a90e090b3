// One owner of a device's link per epoch: as the rows have it, and as the nodes believe.
import type { Change, History } from './history.ts'

/** Epochs only grow, each belongs to one node, and only nodes that have their lease claim. */
export function violationsOfLinks({ changes }: History): string[] {
  const violations: string[] = []
  const newest = new Map<string, Change & { what: 'link' }>()
  const alive = new Set<string>()
  for (const change of changes) {
    if (change.what === 'node') {
      if (change.change === 'entered') alive.add(change.node)
      else alive.delete(change.node)
    }
    if (change.what !== 'link') continue
    const { device, node, epoch } = change
    const before = newest.get(device)
    const claim = `device ${device}, epoch ${epoch}`
    if (before && epoch < before.epoch) {
      violations.push(`stale lease: ${claim} of node ${node}, after epoch ${before.epoch} of node ${before.node}`)
    } else if (before && epoch === before.epoch && node !== '' && node !== before.node) {
      violations.push(`two owners: ${claim} of node ${before.node || 'none any more'} and of node ${node}`)
    }
    if (node !== '' && !alive.has(node)) {
      violations.push(`stale lease: ${claim} was claimed by node ${node}, which had no lease`)
    }
    newest.set(device, change)
  }
  return [...violations, ...staleAtTheEnd(newest.values(), alive)]
}

function staleAtTheEnd(rows: Iterable<Change & { what: 'link' }>, alive: ReadonlySet<string>): string[] {
  return [...rows]
    .filter(({ node }) => node !== '' && !alive.has(node))
    .map(
      ({ device, node, epoch }) => `stale lease: device ${device}, epoch ${epoch} still belongs to lost node ${node}`,
    )
}

/**
 * What nodes believe to hold agrees with the rows: each epoch was taken by the node that claimed it, and at the end the
 * nodes that run hold what the rows say.
 */
export function violationsOfOwners({ changes, nodesSaid, running }: History): string[] {
  const violations: string[] = []
  const claimants = new Map<string, string>()
  const rows = new Map<string, Change & { what: 'link' }>()
  for (const change of changes) {
    if (change.what !== 'link') continue
    const { device, node, epoch } = change
    if (node !== '' && !claimants.has(`${device} ${epoch}`)) claimants.set(`${device} ${epoch}`, node)
    rows.set(device, change)
  }
  /** Newest epoch of each device that a node holds, by both. */
  const held = new Map<string, number>()
  for (const { node, device, epoch, change } of nodesSaid) {
    const claimant = claimants.get(`${device} ${epoch}`)
    if (claimant !== node) {
      violations.push(
        `node ${node} took device ${device}, epoch ${epoch}, which was claimed by ${claimant ?? 'nobody'}`,
      )
    }
    const key = `${node} ${device}`
    if (change === 'up') held.set(key, Math.max(epoch, held.get(key) ?? 0))
    else if (held.get(key) === epoch) held.delete(key)
  }
  for (const { device, node, epoch } of rows.values()) {
    if (running.has(node) && held.get(`${node} ${device}`) !== epoch) {
      violations.push(`stale lease: device ${device}, epoch ${epoch} belongs to node ${node}, which does not hold it`)
    }
  }
  return violations
}
