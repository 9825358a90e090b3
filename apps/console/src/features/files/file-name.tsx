// Name of an entry, as the link that opens it.
import { Link } from '@tanstack/react-router'
import { File, FileQuestion, FileSymlink, Folder } from 'lucide-react'
import { createContext, useContext } from 'react'
import { VisuallyHidden } from '../../ui/kit.ts'
import { filesMessages } from './messages.ts'
import type { Entry } from './sftp/entries.ts'
import classes from './files.module.css'

const texts = filesMessages.table
const ICONS = { file: File, folder: Folder, link: FileSymlink, other: FileQuestion }

interface Opening {
  /** Uid of the device. */
  readonly uid: string
  /** Targets of symbolic links, by their paths. */
  readonly targets: ReadonlyMap<string, string>
  readonly onOpen: (entry: Entry) => void
}

/** The folder whose entries a table has: the table's columns are the same for all. */
export const OpenedFolder = createContext<Opening>({ uid: '', targets: new Map(), onOpen: () => undefined })

export function FileName({ entry }: { readonly entry: Entry }) {
  const { uid, targets, onOpen } = useContext(OpenedFolder)
  const { name, path, kind } = entry
  const target = targets.get(path)
  const Icon = ICONS[kind]
  return (
    <span className={classes['name']}>
      <Icon size={16} aria-hidden className={classes['kind']} data-kind={kind} />
      <VisuallyHidden>{texts.kinds[kind]}</VisuallyHidden>
      <Link
        to="/devices/$uid/files"
        params={{ uid }}
        search={({ back }) => ({ path, back })}
        // Seeing a name is no wish to open it.
        preload={false}
        onClick={(event) => {
          // In a tab of its own the page opens the folder.
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
          event.preventDefault()
          onOpen(entry)
        }}
      >
        {name}
      </Link>
      {target === undefined || target === '' ? null : (
        <span className={classes['target']} title={texts.target(target)}>
          → {target}
        </span>
      )}
    </span>
  )
}
