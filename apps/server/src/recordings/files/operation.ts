// A file operation in a session, for any protocol.

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
  /** New name, link target, or the folder that scp names beside the file. */
  readonly to?: string
  /** Transferred bytes of the contents. */
  readonly bytes?: number
  /** Hash of the contents, hex; absent unless they were transferred exactly once from first to last byte. */
  readonly sha256?: string
  /** `ok`, or the error. */
  readonly result: string
}

/** Observes file transfers. Never throws: reports unreadable data once. */
export interface FileReader {
  clientData(bytes: Uint8Array): void
  deviceData(bytes: Uint8Array): void
  /** Ends the input. */
  end(): void
}

export interface FileListener {
  done(operation: FileOperation): void
  /** Operations can no longer be observed. */
  lost(reason: string): void
}

const MAX_PATH = 4_096

/** A printable path: file names are bytes and may contain terminal escapes. */
export function pathText(path: Buffer): string {
  const text = path.subarray(0, MAX_PATH).toString()
  return text.replaceAll(/\p{Cc}/gu, '\uFFFD')
}

/** One line of readable text. */
export function describeOperation({ operation, path, to, bytes, sha256, result }: FileOperation): string {
  const size = bytes === undefined ? '' : `, ${bytes} bytes`
  const hash = sha256 === undefined ? '' : `, sha256 ${sha256}`
  return `${operation} ${path}${to === undefined ? '' : ` → ${to}`}${size}${hash}: ${result}`
}
