// Palette items for one device.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../../core/context.tsx'
import { useSshUser } from '../../core/devices/ssh-user.ts'
import { useSshLines } from '../../features/devices/copy-ssh.tsx'
import { openFilesMessages } from '../../features/files/open-messages.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { type PaletteItem, matching } from './items.ts'
import { paletteMessages as texts } from './messages.ts'
import type { Step } from './use-step-items.ts'

/**
 * Actions on one device.
 * @param words what they are narrowed by; the name of the device, their heading, finds none
 * @param enter opens a step that asks for more
 */
export function useDeviceItems(
  device: Device | undefined,
  words: string,
  enter: (device: Device, step: Step) => void,
): PaletteItem[] {
  const navigate = useNavigate()
  const user = useSshUser()
  const mayConnect = useMay('deviceConnect')
  const mayTag = useMay('deviceTagUpdate', device)
  const mayRename = useMay('deviceUpdate', device)
  const lineOf = useSshLines()
  if (!device) return []
  const { uid, name, namespace } = device
  const copy = async (text: string) => announce((await copyText(text)) ? texts.copied : texts.copyFailed)
  const item = (label: string, run: () => void): PaletteItem => ({ id: label, group: '', label, run })
  const stepTo = (step: Step): PaletteItem => {
    const open = () => enter(device, step)
    return { ...item(texts.steps[step], open), more: open, stays: true }
  }
  const connect = item(texts.connect, () => void navigate({ to: '/terminal', search: { device: uid } }))
  const files = item(openFilesMessages.title, () => void navigate({ to: '/devices/$uid/files', params: { uid } }))
  const all = [
    ...(mayConnect && device.online ? [connect, files] : []),
    item(texts.open, () => void navigate({ to: '/devices/$uid', params: { uid } })),
    ...(mayTag ? [stepTo('tag')] : []),
    ...(mayRename ? [stepTo('rename')] : []),
    ...(lineOf ? [item(texts.copySsh, () => void copy(lineOf(device)))] : []),
    item(texts.copyId, () => void copy(`${user}@${namespace}.${name}`)),
    item(texts.sessionsOf, () => void navigate({ to: '/sessions', search: { device: uid } })),
  ]
  return matching(all, words).map((each) => ({ ...each, group: name }))
}
