// Observes the old protocol of scp (`scp -O`): lines with mode, size and name, each followed by as many bytes.
import { Buffer } from 'node:buffer'
import { type ContentHash, createContentHash } from './content-hash.ts'
import { type FileListener, type FileReader, pathText } from './operation.ts'

const MAX_LINE_BYTES = 8_192
const NEWLINE = 0x0a
/** Acknowledgements and the end of a file are single bytes. */
const OK = 0

/**
 * @param way direction of the files
 * @param target path in the command
 */
export function createScpReader(way: 'upload' | 'download', target: string, listener: FileListener): FileReader {
  const folders: string[] = []
  let line: number[] = []
  let file: { readonly path: string; readonly size: number; left: number; readonly hash: ContentHash } | undefined
  let isLost = false

  function read(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !isLost;) {
      if (file) {
        const piece = bytes.subarray(at, at + file.left)
        file.hash.add(file.size - file.left, piece)
        file.left -= piece.length
        at += piece.length
        if (file.left === 0) finish('ok')
      } else {
        const byte = bytes[at] ?? OK
        at += 1
        if (byte === NEWLINE) takeLine()
        else if (byte !== OK || line.length > 0) line.push(byte)
        if (line.length > MAX_LINE_BYTES) lose('a line of scp is too long')
      }
    }
  }

  function takeLine(): void {
    const text = Buffer.from(line).toString('latin1')
    line = []
    const [, kind, size = '', name = ''] = /^([CD])[0-7]{4,5} (\d{1,15}) ([^]+)$/.exec(text) ?? []
    const path = pathText(Buffer.from(name, 'latin1'))
    if (kind === 'D') folders.push(path)
    else if (kind === 'C') begin([...folders, path].join('/'), Number(size))
    else if (text === 'E') folders.pop()
    // Times, and errors of the other side.
    else if (!['T', '\u0001', '\u0002'].includes(text.slice(0, 1))) lose('it is not what scp says')
  }

  function begin(path: string, size: number): void {
    file = { path, size, left: size, hash: createContentHash() }
    if (size === 0) finish('ok')
  }

  function finish(result: string): void {
    if (file) listener.done({ operation: way, path: file.path, to: target, ...file.hash.end(), result })
    file = undefined
  }

  function lose(reason: string): void {
    isLost = true
    listener.lost(reason)
  }

  const pass = (): void => undefined
  return {
    clientData: way === 'upload' ? read : pass,
    deviceData: way === 'download' ? read : pass,
    end: () => finish('interrupted'),
  }
}
