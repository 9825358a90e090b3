// The navigation on phones.
import { appMessages as texts } from '../core/messages.ts'
import { Drawer } from '../ui/kit.ts'
import { Sidebar } from './sidebar.tsx'
import classes from './shell.module.css'

interface NavigationDrawerProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onSearch: () => void
  readonly onKeys: () => void
}

export function NavigationDrawer({ opened, onClose, onSearch, onKeys }: NavigationDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={280}
      withCloseButton={false}
      classNames={{ body: classes['drawer'] ?? '' }}
      attributes={{ content: { 'aria-label': texts.sections } }}
    >
      <Sidebar onClose={onClose} onSearch={onSearch} onKeys={onKeys} />
    </Drawer>
  )
}
