// Opens terminals in a window of their own, and says when the browser forbids it.
import { notifyFailure } from '../../../ui/feedback/notify.tsx'
import { terminalMessages as texts } from '../messages.ts'
import type { Moved } from '../moving/moves.ts'
import type { Workspace } from '../workspace.ts'

/** Only while a key or a click is handled: browsers block other windows. */
export function popOutNow(workspace: Workspace, moved: Moved): void {
  if (workspace.popOut(moved)) return
  notifyFailure({ title: texts.popOutRefused, error: new Error(texts.popOutAllow) })
}
