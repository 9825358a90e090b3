// Buttons that give terminals more room: without the side bar, and in full screen.
import { Maximize, Minimize, PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { isSidebarFolded } from '../../../core/sidebar-fold.ts'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { terminalMessages as texts } from '../messages.ts'
import { changeSettings, terminalSettings } from '../screen/settings.ts'
import classes from './tab-bar.module.css'

export function foldSidebar(): void {
  changeSettings({ foldedSidebar: !terminalSettings.get().foldedSidebar })
}

/** The whole page: menus and dialogs are outside of the terminals. Browsers may refuse. */
export function switchFullScreen(): void {
  const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()
  done.catch(() => undefined)
}

export function RoomButtons() {
  const { foldedSidebar } = useStore(terminalSettings)
  const [isFull, setFull] = useState(document.fullscreenElement !== null)
  useEffect(() => {
    isSidebarFolded.set(foldedSidebar)
    return () => isSidebarFolded.set(false)
  }, [foldedSidebar])
  useEffect(() => {
    const follow = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', follow)
    return () => document.removeEventListener('fullscreenchange', follow)
  }, [])
  const fold = foldedSidebar ? texts.unfoldSidebar : texts.foldSidebar
  const full = isFull ? texts.leaveFullScreen : texts.fullScreen
  const Fold = foldedSidebar ? PanelLeftOpen : PanelLeftClose
  const Full = isFull ? Minimize : Maximize
  return (
    <span className={classes['room']}>
      <IconButton data-tip={fold} aria-label={fold} onClick={foldSidebar}>
        <Fold size={16} aria-hidden />
      </IconButton>
      <IconButton data-tip={full} aria-label={full} onClick={switchFullScreen}>
        <Full size={16} aria-hidden />
      </IconButton>
    </span>
  )
}
