// Starts and stops the broadcast of input, where the tab has several panes.
import { Radio } from 'lucide-react'
import { useStore } from '../../../core/context.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { broadcastMessages as texts } from '../broadcast/messages.ts'
import { paneIds } from '../layout/layout.ts'
import type { Workspace } from '../workspace.ts'

export function BroadcastButton({ workspace }: { readonly workspace: Workspace }) {
  const { tabs, active } = useStore(workspace.state)
  const isOn = useStore(workspace.broadcast.state) !== undefined
  const tab = tabs.find(({ id }) => id === active)
  if (!tab || paneIds(tab.layout).length < 2 || isOn) return null
  return (
    <IconButton
      data-tip={texts.start}
      aria-label={texts.start}
      onClick={() => {
        workspace.broadcast.start(tab.focused)
        workspace.pane(tab.focused)?.screen.terminal.focus()
      }}
    >
      <Radio size={16} aria-hidden />
    </IconButton>
  )
}
