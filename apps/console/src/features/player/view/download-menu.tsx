// Menu that downloads the recording.
import { sessions } from '@bowline/contract/operations/sessions'
import { Download } from 'lucide-react'
import { useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { Button } from '../../../ui/kit.ts'
import { MenuButton } from '../../../ui/controls/menu-button.tsx'
import { Menu } from '../../../ui/controls/menu-parts.tsx'
import { saveFile } from '../../../ui/text/save-file.ts'
import { playerMessages as texts } from '../messages.ts'
import type { Seat } from '../queries.ts'

export function DownloadMenu({ uid, seat }: Seat) {
  const { api } = useRuntime()
  const download = useAction({
    async call(version: 2 | 3) {
      const query = { format: version === 2 ? ('cast' as const) : ('cast3' as const) }
      const response = await api.open(sessions.getRecord, { params: { uid, seat }, query })
      saveFile(await response.blob(), `session-${uid.slice(0, 12)}-${seat}.cast`)
    },
    failed: texts.downloadFailed,
  })
  return (
    <MenuButton
      position="bottom-end"
      face={
        <Button variant="default" leftSection={<Download size={16} aria-hidden />}>
          {texts.download}
        </Button>
      }
    >
      {([2, 3] as const).map((version) => (
        <Menu.Item key={version} onClick={() => void download.run(version)}>
          {texts.downloadAs(version)}
        </Menu.Item>
      ))}
    </MenuButton>
  )
}
