// Asks before something is deleted; for a folder it says how much is in it.
import { useEffect, useState } from 'react'
import { announce } from '../../ui/feedback/announce.tsx'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { notifyFailure } from '../../ui/feedback/notify.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Text } from '../../ui/kit.ts'
import { filesMessages } from './messages.ts'
import { type Entry, everythingIn, removeEntry } from './sftp/entries.ts'
import type { SftpClient } from './sftp/sftp-client.ts'

const texts = filesMessages.remove

interface RemoveDialogProps {
  readonly client: SftpClient
  readonly entry: Entry
  readonly onClose: () => void
  /** Something is gone. */
  readonly onChanged: () => void
}

export function RemoveDialog({ client, entry, onClose, onChanged }: RemoveDialogProps) {
  const { name, kind, path } = entry
  const [inside, setInside] = useState<readonly Entry[] | undefined>(kind === 'folder' ? undefined : [])
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    if (kind === 'folder') everythingIn(client, path).then(setInside, setFailure)
  }, [client, kind, path])
  const remove = async () => {
    try {
      // Each after what it contains. What has come into a folder meanwhile keeps it.
      for (const one of [...(inside ?? []), entry]) await removeEntry(client, one)
      announce(texts.done(name))
    } catch (error) {
      notifyFailure({ title: texts.failed(name), error })
    }
    onChanged()
  }
  return (
    <Confirm
      opened
      title={texts.of(name)}
      action={texts.action}
      refused={inside === undefined}
      onClose={onClose}
      onConfirm={() => void remove()}
    >
      {failure === undefined ? (
        <Text size="sm" component="output">
          {kind === 'folder' ? (inside ? texts.folder(name, inside.length) : texts.counting) : texts.file(name)}
        </Text>
      ) : (
        <ErrorPanel title={texts.failed(name)} error={failure} />
      )}
    </Confirm>
  )
}
