// Button that opens the files of a device, on its page and in its row.
import type { Device } from '@bowline/contract/schemas/device'
import { useNavigate } from '@tanstack/react-router'
import { FolderOpen } from 'lucide-react'
import { useMay } from '../../core/context.tsx'
import { GatedAction } from '../../ui/feedback/gated.tsx'
import { connectMessages } from '../terminal/connect-messages.ts'
import { openFilesMessages as texts } from './open-messages.ts'

export function FilesButton({ device }: { readonly device: Pick<Device, 'uid' | 'name' | 'online' | 'status'> }) {
  const mayConnect = useMay('deviceConnect')
  const navigate = useNavigate()
  const { uid, name, online, status } = device
  if (status !== 'accepted') return null
  return (
    <GatedAction
      may={mayConnect && online}
      why={mayConnect ? connectMessages.offline : connectMessages.roleTooLow}
      label={texts.of(name)}
      hint={texts.title}
      onClick={() => void navigate({ to: '/devices/$uid/files', params: { uid } })}
    >
      <FolderOpen size={15} aria-hidden />
    </GatedAction>
  )
}
