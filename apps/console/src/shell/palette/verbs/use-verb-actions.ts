// What each action does with a device.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { useMay, useMayOn } from '../../../core/context.tsx'
import { useDeviceActions } from '../../../features/devices/actions.ts'
import { useSshLines } from '../../../features/devices/copy-ssh.tsx'
import { announce } from '../../../ui/feedback/announce.tsx'
import { copyText } from '../../../ui/text/copy-text.ts'
import type { PaletteControls } from '../controls.ts'
import { paletteMessages as texts } from '../messages.ts'
import type { DeviceVerb } from './verbs.ts'

interface VerbAction {
  readonly run: () => void
  /** The palette stays open. */
  readonly stays?: true
  /** Only while the device is connected. */
  readonly needsOnline?: true
}

/** @returns undefined for what the person may not do, or the device does not have */
export function useVerbActions({ onStep, onAsk }: PaletteControls) {
  const navigate = useNavigate()
  const actions = useDeviceActions()
  const lineOf = useSshLines()
  const mayConnect = useMay('deviceConnect')
  const mayTag = useMayOn('deviceTagUpdate')
  const mayRename = useMayOn('deviceUpdate')
  const mayAccept = useMayOn('deviceAccept')
  const mayRemove = useMayOn('deviceRemove')
  // Not the new device is removed, but the one that it replaces.
  const mayReplace = useMay('deviceRemove')
  return (verb: DeviceVerb, device: Device): VerbAction | undefined => {
    const { uid, replaces } = device
    const params = { uid }
    const only = (may: boolean, action: VerbAction) => (may ? action : undefined)
    switch (verb) {
      case 'connect':
        return only(mayConnect, {
          run: () => void navigate({ to: '/terminal', search: { device: uid } }),
          needsOnline: true,
        })
      case 'files':
        return only(mayConnect, {
          run: () => void navigate({ to: '/devices/$uid/files', params }),
          needsOnline: true,
        })
      case 'run':
        return only(mayConnect, { run: () => onAsk({ what: 'run', device }), stays: true, needsOnline: true })
      case 'open':
        return { run: () => void navigate({ to: '/devices/$uid', params }) }
      case 'tunnel':
        // Devices without an agent have none.
        return only(!device.host_key, { run: () => void navigate({ to: '/devices/$uid', params, hash: 'tunnels' }) })
      case 'tag':
        return only(mayTag(device), { run: () => onStep(device, 'tag'), stays: true })
      case 'rename':
        return only(mayRename(device), { run: () => onStep(device, 'rename'), stays: true })
      case 'accept':
        if (!replaces) return only(mayAccept(device), { run: () => void actions.run('accept', device) })
        return only(mayAccept(device) && mayReplace, { run: () => onAsk({ what: 'replace', device }), stays: true })
      case 'reject':
        return only(mayAccept(device), { run: () => void actions.run('reject', device) })
      case 'remove':
        return only(mayRemove(device), { run: () => onAsk({ what: 'remove', device }), stays: true })
      case 'copySsh':
        return lineOf && { run: () => void copy(lineOf(device)) }
    }
  }
}

async function copy(text: string): Promise<void> {
  announce((await copyText(text)) ? texts.copied : texts.copyFailed)
}
