// Empty states of the device lists. On the first one everything starts, so it shows the ways to add a device.
import { Container, SearchX, Server, ShieldCheck, Trash2, UserX } from 'lucide-react'
import { Suspense, lazy } from 'react'
import { Skeleton } from '../../../ui/kit.ts'
import { pageFile } from '../../../platform/page-files.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { devicesMessages as texts } from '../messages.ts'
import { type DeviceTab, KEYWORDS_LINE } from '../search.ts'
import classes from '../devices.module.css'

// Kept out of the first page's bundle.
const loadFirst = pageFile(() => import('../add/first-device.tsx'))
const FirstDevice = lazy(async () => ({ default: (await loadFirst()).FirstDevice }))

export function NoMatches() {
  return <EmptyState icon={<SearchX size={24} />} title={texts.noMatches} text={texts.noMatchesText(KEYWORDS_LINE)} />
}

export function NoContainers() {
  return <EmptyState icon={<Container size={24} />} title={texts.emptyContainers} text={texts.emptyContainersText} />
}

export function NoDevices({ status }: { readonly status: DeviceTab }) {
  if (status === 'pending') {
    return <EmptyState icon={<ShieldCheck size={24} />} title={texts.emptyPending} text={texts.emptyPendingText} />
  }
  if (status === 'rejected') {
    return <EmptyState icon={<UserX size={24} />} title={texts.emptyRejected} text={texts.emptyRejectedText} />
  }
  if (status === 'removed') {
    return <EmptyState icon={<Trash2 size={24} />} title={texts.emptyRemoved} text={texts.emptyRemovedText} />
  }
  return (
    <EmptyState icon={<Server size={24} />} title={texts.emptyAccepted} text={texts.emptyAcceptedText}>
      <div className={classes['command']}>
        <Suspense fallback={<Skeleton height={56} />}>
          <FirstDevice />
        </Suspense>
      </div>
    </EmptyState>
  )
}
