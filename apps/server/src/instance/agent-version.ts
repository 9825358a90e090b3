// The version that the instance names to an agent which asks with its own: never a greater one. Existing agents that run as a
// container replace themselves by the image of a greater version, and would look for ours in their own registry.

const NUMBERS = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-.+)?$/

/**
 * @param own version of this server
 * @param asked version of the agent, as it says; undefined when nobody asks with one
 */
export function versionFor(own: string, asked: string | undefined): string {
  return asked !== undefined && !isAtMost(own, asked) ? asked : own
}

/** False also for what has no order: the agent gets its own words back. */
function isAtMost(own: string, other: string): boolean {
  const [mine, theirs] = [NUMBERS.exec(own), NUMBERS.exec(other)]
  if (!mine || !theirs) return false
  for (let index = 1; index <= 3; index += 1) {
    const difference = Number(mine[index]) - Number(theirs[index])
    if (difference !== 0) return difference < 0
  }
  // What comes before a release has a suffix; two suffixes are only compared for being the same.
  return theirs[4] === undefined || mine[4] === theirs[4]
}
