// Favorite devices of the person: the switch on a device's page and in the list.
import { views } from '@bowline/contract/operations/fleet/views'
import { DeviceUid } from '@bowline/contract/schemas/common'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Star } from 'lucide-react'
import { createContext, useContext } from 'react'
import type { Api } from '../../auth/api.ts'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { IconButton } from '../../ui/controls/icon-button.tsx'
import { devicesMessages as texts } from './messages.ts'
import classes from './devices.module.css'

function favoritesQuery(api: Api) {
  return queryOptions({
    queryKey: keys.favorites,
    queryFn: async ({ signal }): Promise<readonly string[]> => (await api.call(views.favorites, { signal })).body,
    staleTime: Infinity,
  })
}

const NONE: ReadonlySet<string> = new Set()
const setOf = (uids: readonly string[]): ReadonlySet<string> => new Set(uids)

/** Uids of the person's favourites, for `Favorites`. @param enabled false: not asked for yet */
export function useFavorites(enabled = true): ReadonlySet<string> {
  const { api } = useRuntime()
  return useQuery({ ...favoritesQuery(api), select: setOf, enabled }).data ?? NONE
}

/** The favourites for the switches inside: asked for once, not in each row. */
export const Favorites = createContext(NONE)

export interface FavoriteTarget {
  readonly uid: string
  readonly name: string
}

/** Makes a device a favourite, or takes that back. */
export function useFavorite(): (device: FavoriteTarget) => void {
  const { api } = useRuntime()
  const client = useQueryClient()
  const act = useAction({
    call: ({ uid, on }: FavoriteTarget & { readonly on: boolean }) =>
      api.call(on ? views.addFavorite : views.removeFavorite, { params: { uid: DeviceUid.parse(uid) } }),
    async optimistic({ uid, on }) {
      const { queryKey } = favoritesQuery(api)
      await client.cancelQueries({ queryKey })
      const before = client.getQueryData(queryKey)
      client.setQueryData(queryKey, (uids: readonly string[] = []) =>
        on ? [...uids, uid] : uids.filter((each) => each !== uid),
      )
      return () => client.setQueryData(queryKey, before)
    },
    failed: ({ name }) => texts.favoriteFailed(name),
    invalidates: [keys.favorites, keys.deviceLists],
  })
  return ({ uid, name }) => {
    const on = client.getQueryData(favoritesQuery(api).queryKey)?.includes(uid) !== true
    void act.run({ uid, name, on })
  }
}

interface FavoriteSwitchProps {
  readonly device: FavoriteTarget
  /** As `useFavorite` returns it. */
  readonly onChange: (device: FavoriteTarget) => void
}

export function FavoriteSwitch({ device, onChange }: FavoriteSwitchProps) {
  const isFavorite = useContext(Favorites).has(device.uid)
  const label = isFavorite ? texts.unfavoriteNamed(device.name) : texts.favoriteNamed(device.name)
  return (
    <IconButton
      data-tip={isFavorite ? texts.unfavorite : texts.makeFavorite}
      aria-label={label}
      aria-pressed={isFavorite}
      onClick={() => onChange(device)}
    >
      <Star size={15} aria-hidden className={isFavorite ? (classes['filled'] ?? '') : ''} />
    </IconButton>
  )
}
