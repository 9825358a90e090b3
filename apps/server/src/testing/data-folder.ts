// Where the tests' databases live: in memory when the host allows, which makes cloning one ten times as fast.
import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 2 ** 30

/** Folders for tests are called this, the process id of the run, and something. */
export const TEST_FOLDER_PREFIX = 'bowline-test-'

/** Every parent that {@link testFolderParent} may choose. */
export const TEST_FOLDER_PARENTS: readonly string[] = [tmpdir(), MEMORY]

/** The parent for the folders of this run. */
export async function testFolderParent(): Promise<string> {
  return (await memoryWillDo()) ? MEMORY : tmpdir()
}

/** Containers often have little of it, or forbid programs there. */
async function memoryWillDo(): Promise<boolean> {
  const mounts = await readFile('/proc/self/mounts', 'utf8')
  const options = mounts
    .split('\n')
    .findLast((line) => line.split(' ')[1] === MEMORY)
    ?.split(' ')[3]
  if (options === undefined || options.split(',').some((option) => option === 'noexec' || option === 'ro')) return false
  const { bavail, bsize } = await statfs(MEMORY)
  return bavail * bsize >= MIN_FREE_BYTES
}
