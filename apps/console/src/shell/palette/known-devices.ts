// Devices that this page of the console knows already: they are found at once, before the server answers.
import type { Device } from '@bowline/contract/schemas/device'
import type { QueryClient } from '@tanstack/react-query'
import { type ListPage, keys } from '../../live/apply-events.ts'

/** Each once, those of the most recent answers first. */
export function knownDevices(queryClient: QueryClient): readonly Device[] {
  const lists = queryClient.getQueriesData<ListPage<Device>>({ queryKey: keys.deviceLists })
  const single = queryClient.getQueriesData<Device>({ queryKey: keys.oneDevice })
  const all = [...single.flatMap(([, device]) => device ?? []), ...lists.flatMap(([, page]) => page?.items ?? [])]
  return [...new Map(all.map((device) => [device.uid, device])).values()]
}

/** What is known of a device besides its name. */
export function wordsOf({ tags, info, remote_addr }: Device): string {
  return [...tags, info?.pretty_name, remote_addr].filter(Boolean).join(', ')
}

/** A device's name as people type it: `Unit 42` for `unit-42`. */
export const nameOf = (words: string): string => words.toLowerCase().replaceAll(/\s+/gu, '-')

/** Each once; the first ones stay first. */
export function together(...lists: readonly (readonly Device[] | undefined)[]): readonly Device[] {
  const all = new Map<string, Device>()
  for (const device of lists.flatMap((list) => list ?? [])) if (!all.has(device.uid)) all.set(device.uid, device)
  return [...all.values()]
}
