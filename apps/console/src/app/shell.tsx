// The frame of every page after signing in: sections on the left (a drawer on phones), the page on the right.
import { Outlet } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { useState } from 'react'
import { PendingBell } from '../features/devices/pending-bell.tsx'
import { ActionIcon, Drawer } from '../ui/kit.ts'
import { Mark } from '../ui/mark.tsx'
import { LiveMark } from './live-mark.tsx'
import { usePerson } from './context.tsx'
import { appMessages as texts } from './messages.ts'
import { NoNamespace } from './no-namespace.tsx'
import { Sidebar } from './sidebar.tsx'
import classes from './shell.module.css'

export function Shell() {
  const tenant = usePerson()?.tenant
  const [opened, setOpened] = useState(false)
  return (
    <div className={classes['shell']}>
      <a href="#content" className={classes['skip']}>
        {texts.skip}
      </a>
      <header className={classes['bar']}>
        <ActionIcon size={40} aria-label={texts.openNavigation} onClick={() => setOpened(true)}>
          <MenuIcon size={20} aria-hidden />
        </ActionIcon>
        <Mark size={24} />
        <span className={classes['brand']}>Bowline</span>
        <LiveMark />
        <PendingBell />
      </header>
      <div className={classes['side']}>
        <Sidebar />
      </div>
      <Drawer
        opened={opened}
        onClose={() => setOpened(false)}
        size={280}
        withCloseButton={false}
        classNames={{ body: classes['drawer'] ?? '' }}
        attributes={{ content: { 'aria-label': texts.sections } }}
      >
        <Sidebar onClose={() => setOpened(false)} />
      </Drawer>
      <main id="content" tabIndex={-1} className={classes['main']}>
        {tenant === '' ? <NoNamespace /> : <Outlet />}
      </main>
    </div>
  )
}
