// The people in a terminal besides the one who looks at it, and who of them types.
import { Keyboard, User, X } from 'lucide-react'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import type { SharedPane } from './shared-pane.ts'
import { sharingMessages as texts } from './messages.ts'
import { useSharing, useTyping } from './use-sharing.ts'
import classes from './sharing.module.css'

export function Guests({ pane }: { readonly pane: SharedPane }) {
  const sharing = useSharing(pane)
  const typing = useTyping(pane)
  if (!sharing) return null
  const isOwner = pane.joined() === undefined
  if (isOwner && sharing.joined.length === 0) return null
  return (
    <ul aria-label={texts.guests} className={classes['guests']}>
      {isOwner ? null : (
        <li className={classes['guest']}>
          <User size={14} aria-hidden />
          {texts.owner(sharing.owner)}
        </li>
      )}
      {sharing.joined.map(({ guest, name }) => (
        <li key={guest} className={classes['guest']} data-types={typing === guest}>
          {typing === guest ? <Keyboard size={14} aria-hidden /> : <User size={14} aria-hidden />}
          {typing === guest ? texts.types(name) : name}
          {isOwner ? (
            <IconButton
              size={24}
              data-tip={texts.remove(name)}
              aria-label={texts.remove(name)}
              onClick={() => pane.remote()?.remove(guest)}
            >
              <X size={13} aria-hidden />
            </IconButton>
          ) : null}
        </li>
      ))}
      {sharing.paused && !isOwner ? (
        <li>
          <output>{texts.paused(sharing.owner)}</output>
        </li>
      ) : null}
    </ul>
  )
}
