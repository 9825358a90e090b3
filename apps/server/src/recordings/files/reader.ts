// Detects the file protocol of a channel from its start. A command may be disguised: it is recorded like any other in
// addition to the operations read here.
import type { FileListener, FileReader } from './operation.ts'
import { createRsyncReader } from './rsync-reader.ts'
import { createScpReader } from './scp-reader.ts'
import { createSftpReader } from './sftp-reader.ts'

const MAX_TARGET = 4_096

/** @param run the started program. @returns undefined if it transfers no files */
export function fileReaderOf(
  run: { readonly type: 'subsystem' | 'exec' | 'shell'; readonly command: string },
  listener: FileListener,
): FileReader | undefined {
  if (run.type === 'subsystem') return run.command === 'sftp' ? createSftpReader(listener) : undefined
  if (run.type !== 'exec') return undefined
  const [program = '', ...options] = run.command.trim().split(/\s+/)
  const target =
    options
      .at(-1)
      ?.slice(0, MAX_TARGET)
      .replaceAll(/\p{Cc}/gu, '\uFFFD') ?? ''
  switch (program.split('/').at(-1)) {
    case 'scp': {
      const flags = options.filter((option) => /^-[a-zA-Z]+$/.test(option)).join('')
      if (flags.includes('t')) return createScpReader('upload', target, listener)
      return flags.includes('f') ? createScpReader('download', target, listener) : undefined
    }
    case 'rsync':
      if (!options.includes('--server')) return undefined
      return createRsyncReader(options.includes('--sender') ? 'download' : 'upload', target, listener)
    case 'sftp-server':
      return createSftpReader(listener)
    default:
      return undefined
  }
}
