// Banner with the newest announcement, until it is read or dismissed in this browser.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button } from '../../ui/kit.ts'
import { announcementsMessages as texts } from './messages.ts'
import { announcementListQuery } from './queries.ts'
import { rememberAnnouncement, wasSeen } from './seen.ts'
import classes from './announcements.module.css'

export function News() {
  const { api } = useRuntime()
  const { data } = useQuery(announcementListQuery(api, 1))
  const [dismissed, setDismissed] = useState<string>()
  const [newest] = data?.items ?? []
  if (!newest || newest.uuid === dismissed || wasSeen(newest.uuid)) return null
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
            onClick={() => {
              rememberAnnouncement(uuid)
              setDismissed(uuid)
            }}
          >
            {texts.dismiss}
          </Button>
        </div>
      </Callout>
    </section>
  )
}
