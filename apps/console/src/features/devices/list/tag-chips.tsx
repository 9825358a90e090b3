// Tags of a device in its row, each a link to the devices that have it.
import { Link } from '@tanstack/react-router'
import { devicesMessages as texts } from '../messages.ts'
import classes from './list.module.css'

export function DeviceTagChips({ tags }: { readonly tags: readonly string[] }) {
  // A card leaves out what is empty.
  if (tags.length === 0) return null
  return (
    <span className={classes['chips']}>
      {tags.map((tag) => (
        <Link key={tag} to="/devices" search={{ tag: [tag] }} title={texts.tagFilter(tag)} className={classes['chip']}>
          {tag}
        </Link>
      ))}
    </span>
  )
}
