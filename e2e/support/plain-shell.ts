// A shell without start-up files for sessions of tests: those of whoever runs the tests may be slow, and may say something.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The words before a command under which root has the shell /bin/sh and an empty home. Others than root keep theirs.
 * @param folder becomes the home
 */
export async function plainShell(folder: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return []
  const passwd = await readFile('/etc/passwd', 'utf8')
  const file = join(folder, 'passwd')
  await writeFile(file, passwd.replace(/^root:.*$/m, `root:x:0:0:root:${folder}:/bin/sh`), { mode: 0o644 })
  return ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/passwd && exec "$@"', file]
}
