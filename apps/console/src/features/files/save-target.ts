// Target of a download: the disk when the browser lets pages write to it, else memory and then the browser's downloads.
import { formatBytes } from '../../ui/text/numbers.ts'
import { saveFile } from '../../ui/text/save-file.ts'
import { filesMessages as texts } from './messages.ts'
import { savedName } from './sftp/paths.ts'

export interface SaveTarget {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void> | void
  /** The file is whole. */
  finish(): Promise<void> | void
  /** Leaves nothing behind. */
  abort(): Promise<void> | void
}

/** The File System Access API, which TypeScript's library of the DOM does not have. */
interface FilePicker {
  readonly showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>
}

/** Limit of a download that is kept in memory. */
export const MAX_MEMORY_BYTES = 512 * 1024 * 1024
/** Browsers move large blobs out of the page's memory. */
const BLOB_BYTES = 8 * 1024 * 1024

/**
 * Call it in the click: it may ask the person where to save.
 * @param name of the file on the device
 * @param size bytes, as far as it is known
 * @returns undefined when the person has closed the question
 * @throws {Error} when this browser cannot take so much
 */
export async function openSaveTarget(name: string, size: number): Promise<SaveTarget | undefined> {
  const { showSaveFilePicker } = window as FilePicker
  if (!showSaveFilePicker) return inMemory(savedName(name), size)
  try {
    const handle = await showSaveFilePicker.call(window, { suggestedName: savedName(name) })
    const disk = await handle.createWritable()
    return { write: (bytes) => disk.write(bytes), finish: () => disk.close(), abort: () => disk.abort() }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

function inMemory(name: string, size: number): SaveTarget {
  const check = (bytes: number): void => {
    if (bytes > MAX_MEMORY_BYTES) throw new Error(texts.download.tooLarge(formatBytes(MAX_MEMORY_BYTES)))
  }
  check(size)
  let blobs: Blob[] = []
  let pieces: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  let inPieces = 0
  const pack = (): void => {
    blobs.push(new Blob(pieces))
    pieces = []
    inPieces = 0
  }
  return {
    write(bytes) {
      total += bytes.length
      inPieces += bytes.length
      check(total)
      pieces.push(bytes)
      if (inPieces >= BLOB_BYTES) pack()
    },
    finish() {
      pack()
      // No type that a browser would show instead of saving it.
      saveFile(new Blob(blobs, { type: 'application/octet-stream' }), name)
      blobs = []
    },
    abort() {
      blobs = []
      pieces = []
    },
  }
}
