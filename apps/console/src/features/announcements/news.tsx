// Banner with the newest announcement, until the person has read or dismissed it.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button } from '../../ui/kit.ts'
import { announcementsMessages as texts } from './messages.ts'
import { unreadQuery } from './queries.ts'
import { useMarkSeen } from './seen.ts'
import classes from './announcements.module.css'

export function News() {
  const { api } = useRuntime()
  const { data } = useQuery(unreadQuery(api))
  const markSeen = useMarkSeen()
  const [newest] = data ?? []
  if (!newest) return null
  const { uuid, title } = newest
  return (
    <section aria-label={texts.news} className={classes['news']}>
      <Callout tone="note">
        <div className={classes['newsLine']}>
          <Link to="/announcements/$uuid" params={{ uuid }}>
            {title}
          </Link>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.dismissNamed(title)}
            onClick={() => markSeen(uuid)}
          >
            {texts.dismiss}
          </Button>
        </div>
      </Callout>
    </section>
  )
}
