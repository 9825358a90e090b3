// Chooses the folder of the tests' databases: in memory if possible, where cloning is ten times as fast.
import { readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 2 ** 30

/** Folder names for tests consist of this, the process id of the run, and a suffix. */
export const TEST_FOLDER_PREFIX = 'bowline-test-'

/** Every parent that {@link testFolderParent} may choose. */
export const TEST_FOLDER_PARENTS: readonly string[] = [tmpdir(), MEMORY]

/** The parent for the folders of this run. */
export async function testFolderParent(): Promise<string> {
  return (await memoryWillDo()) ? MEMORY : tmpdir()
}

/** Containers often have little shared memory, or forbid executables there. */
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
