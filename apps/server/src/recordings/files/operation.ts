// A file operation in a session, whatever protocol carried it.

export interface FileOperation {
  readonly operation:
    | 'upload'
    | 'download'
    | 'remove'
    | 'rename'
    | 'mkdir'
    | 'rmdir'
    | 'symlink'
    | 'hardlink'
    | 'attributes'
  readonly path: string
  /** New name, what a link points to, or the folder that scp names beside the file. */
  readonly to?: string
  /** Of the contents, as far as they travelled. */
  readonly bytes?: number
  /** Of the contents, hex; absent when they did not travel once from the first byte to the last. */
  readonly sha256?: string
  /** `ok`, or why not. */
  readonly result: string
}

/** Reads along while files travel. Never throws: what it cannot read it tells, once. */
export interface FileReader {
  fromPerson(bytes: Uint8Array): void
  fromDevice(bytes: Uint8Array): void
  /** No more bytes come. */
  end(): void
}

export interface FileListener {
  done(operation: FileOperation): void
  /** It cannot be told any more what becomes of files. */
  lost(reason: string): void
}

const MAX_PATH = 4_096

/** A path for people: file names are bytes, and may be made to fool a terminal. */
export function pathText(path: Buffer): string {
  const text = path.subarray(0, MAX_PATH).toString()
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD')
}

/** One line for people. */
export function describeOperation({ operation, path, to, bytes, sha256, result }: FileOperation): string {
  const size = bytes === undefined ? '' : `, ${bytes} bytes`
  const hash = sha256 === undefined ? '' : `, sha256 ${sha256}`
  return `${operation} ${path}${to === undefined ? '' : ` → ${to}`}${size}${hash}: ${result}`
}
