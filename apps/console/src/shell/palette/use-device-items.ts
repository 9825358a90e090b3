// Palette items for one device.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { useSshUser } from '../../core/devices/ssh-user.ts'
import { useFavorite, useFavorites } from '../../features/devices/favorites.tsx'
import { devicesMessages } from '../../features/devices/messages.ts'
import { openFilesMessages } from '../../features/files/open-messages.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import type { PaletteControls } from './controls.ts'
import { type PaletteItem, matching } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import { useVerbActions } from './verbs/use-verb-actions.ts'
import { verbWords } from './verbs/verb-messages.ts'
import type { DeviceVerb } from './verbs/verbs.ts'

/**
 * Actions on one device that the person may do.
 * @param words what they are narrowed by; the name of the device, their heading, finds none
 */
export function useDeviceItems(device: Device | undefined, words: string, on: PaletteControls): PaletteItem[] {
  const navigate = useNavigate()
  const user = useSshUser()
  const actionOf = useVerbActions(on)
  const favorites = useFavorites(device !== undefined)
  const toggleFavorite = useFavorite()
  if (!device) return []
  const { uid, name, namespace, status } = device
  const copyId = async () =>
    announce((await copyText(`${user}@${namespace}.${name}`)) ? texts.copied : texts.copyFailed)
  const item = (label: string, run: () => void): PaletteItem => ({ id: label, group: '', label, run })
  const does = (verb: DeviceVerb, label: string): PaletteItem[] => {
    const action = actionOf(verb, device)
    if (!action || (action.needsOnline && !device.online)) return []
    const stays = action.stays ? { stays: true } : {}
    return [{ ...item(label, action.run), synonyms: verbWords[verb], ...stays }]
  }
  /** One that asks for more in the palette itself. */
  const step = (verb: 'tag' | 'rename') => does(verb, texts.steps[verb]).map((each) => ({ ...each, more: each.run }))
  const isFavorite = favorites.has(uid)
  const star = isFavorite ? devicesMessages.unfavorite : devicesMessages.makeFavorite
  const all = [
    ...(status === 'accepted' ? [] : does('accept', devicesMessages.accept)),
    ...(status === 'pending' ? does('reject', devicesMessages.reject) : []),
    ...does('connect', texts.connect),
    ...does('files', openFilesMessages.title),
    ...does('run', texts.run),
    ...does('open', texts.open),
    ...step('tag'),
    ...step('rename'),
    item(star, () => toggleFavorite(device)),
    ...does('copySsh', texts.copySsh),
    item(texts.copyId, () => void copyId()),
    item(texts.sessionsOf, () => void navigate({ to: '/sessions', search: { device: uid } })),
    ...(status === 'pending' ? [] : does('remove', texts.remove)),
  ]
  return matching(all, words).map((each) => ({ ...each, group: name }))
}
