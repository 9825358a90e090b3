// The document's title: the active tab's, and whether a bell rang. Not announced, because programs change it all the time.
import { useEffect } from 'react'
import { useStore } from '../../../core/context.tsx'
import { createStore } from '../../../platform/store.ts'
import { useDocumentTitle } from '../../../ui/page/document-title.ts'
import { terminalMessages as texts } from '../messages.ts'
import type { Tab } from '../tab.ts'
import type { Workspace } from '../workspace.ts'

const NO_TITLE = createStore('')

interface TerminalTitleProps {
  readonly tab: Tab | undefined
  readonly workspace: Workspace
}

export function TerminalTitle({ tab, workspace }: TerminalTitleProps) {
  const pane = tab && workspace.pane(tab.focused)
  const title = useStore(pane?.signals.title ?? NO_TITLE)
  const isRung = useStore(workspace.rung).length > 0
  const name = tab?.name ?? pane?.device.name
  // In this order: the page's own title must not replace that of a tab which is there from the start.
  useDocumentTitle(texts.title)
  useEffect(() => {
    const parts = [name && title !== '' ? `${name} – ${title}` : name, texts.title, 'Bowline'].filter(Boolean)
    document.title = `${isRung ? '🔔 ' : ''}${parts.join(' · ')}`
  }, [name, title, isRung])
  return null
}
