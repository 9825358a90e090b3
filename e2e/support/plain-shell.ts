// A shell without start-up files for test sessions: those of the person running the tests may be slow or print
// something.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Command prefix under which root has the shell /bin/sh and an empty home. No effect for other users.
 * @param folder becomes the home
 */
export async function plainShell(folder: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return []
  const passwd = await readFile('/etc/passwd', 'utf8')
  const file = join(folder, 'passwd')
  await writeFile(file, passwd.replace(/^root:.*$/m, `root:x:0:0:root:${folder}:/bin/sh`), { mode: 0o644 })
  return ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/passwd && exec "$@"', file]
}
