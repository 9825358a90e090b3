// Remembers what a page shows as opened most recently.
import { useEffect } from 'react'
import { usePerson } from '../context.tsx'
import type { Recent, RecentList } from './recent.ts'

/** @param shown undefined while it is not known */
export function useRemembered(list: RecentList, shown: Recent | undefined): void {
  const tenant = usePerson()?.tenant ?? ''
  const { uid, name } = shown ?? {}
  useEffect(() => {
    if (uid !== undefined && name !== undefined) list.remember(tenant, { uid, name })
  }, [list, tenant, uid, name])
}
