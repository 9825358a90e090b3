// Uploads into a folder and downloads from it.
import { useState } from 'react'
import { announce } from '../../ui/feedback/announce.tsx'
import { notifyFailure } from '../../ui/feedback/notify.tsx'
import type { FilesPane } from './files-pane.ts'
import { filesMessages } from './messages.ts'
import { type SaveTarget, openSaveTarget } from './save-target.ts'
import { type Entry, kindOf } from './sftp/entries.ts'
import { joined, nameFault, plainText } from './sftp/paths.ts'
import { readFile } from './sftp/reading.ts'
import type { SftpClient } from './sftp/sftp-client.ts'
import { type Place, placeFor, writeFile } from './sftp/writing.ts'

const texts = filesMessages

/** A file that would replace another one waits for an answer. */
export interface ReplaceQuestion {
  readonly name: string
  readonly answer: (replaces: boolean) => void
}

interface TransfersParts {
  readonly pane: FilesPane
  readonly client: SftpClient
  /** A file has come into a folder. */
  readonly onChanged: () => void
}

/** Also where the page has no HTTPS, and so no `randomUUID`. */
function randomMark(): string {
  return crypto.getRandomValues(new Uint32Array(3)).join('-')
}

export function useTransfers({ pane, client, onChanged }: TransfersParts) {
  const [question, setQuestion] = useState<ReplaceQuestion>()

  const ask = (name: string): Promise<boolean> =>
    new Promise((resolve) => {
      setQuestion({
        name,
        answer(replaces) {
          setQuestion(undefined)
          resolve(replaces)
        },
      })
    })

  async function uploadOne(file: File, name: string, place: Place): Promise<void> {
    const mark = randomMark()
    const total = file.size
    await pane.transfers.add({ kind: 'upload', name, total }, (how) => writeFile(client, place, file, { ...how, mark }))
    onChanged()
  }

  async function upload(files: readonly File[], folder: string): Promise<void> {
    for (const file of files) {
      // What this machine calls the file, in the way names of the device are written.
      const name = plainText(file.name)
      try {
        const fault = nameFault(name)
        if (fault !== undefined) throw new Error(texts.names[fault])
        const place = await placeFor(client, joined(folder, name))
        if (!place.replaces || (await ask(name))) void uploadOne(file, name, place)
        else announce(texts.upload.kept)
      } catch (error) {
        notifyFailure({ title: texts.transfers.failed(name), error })
      }
    }
  }

  async function download(entry: Entry): Promise<void> {
    try {
      // Only a click may open the browser's question, so it comes first, with what the list says of the size.
      const target = await openSaveTarget(entry.name, entry.kind === 'file' ? (entry.size ?? 0) : 0)
      if (target) await downloadTo(target, entry)
    } catch (error) {
      notifyFailure({ title: texts.transfers.failed(entry.name), error })
    }
  }

  async function downloadTo(target: SaveTarget, { path, name, kind, size }: Entry): Promise<void> {
    const total =
      kind === 'file'
        ? (size ?? 0)
        : await sizeBehind(path).catch(async (error: unknown) => {
            await target.abort()
            throw error
          })
    await pane.transfers.add({ kind: 'download', name, total }, async ({ signal, progress }) => {
      try {
        let done = 0
        await readFile(client, path, {
          signal,
          size: total,
          async write(bytes) {
            await target.write(bytes)
            progress((done += bytes.length))
          },
        })
        await target.finish()
      } catch (error) {
        await target.abort()
        throw error
      }
    })
  }

  /** Reading a pipe or a device would never end. */
  async function sizeBehind(path: string): Promise<number> {
    const attributes = await client.stat(path)
    if (kindOf(attributes) !== 'file') throw new Error(texts.download.special)
    return Number(attributes.size ?? 0)
  }

  return { question, upload, download }
}
