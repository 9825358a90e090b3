// Asks before forms with changes are left, by a dialog in a file of its own.
import { useBlocker } from '@tanstack/react-router'
import { appMessages } from '../core/messages.ts'
import { useStore } from '../core/context.tsx'
import { leaveQuestion, mayLeave } from '../platform/unsaved.ts'
import { useLater } from '../platform/lazy-part.tsx'
import { pageFile } from '../platform/page-files.ts'

const loadDialog = pageFile(() => import('./leave-dialog.tsx'))
/** Steps in the history, which also close what the address has opened. */
const STEPS: readonly string[] = ['BACK', 'FORWARD', 'GO']

export function LeaveQuestion() {
  useBlocker({
    shouldBlockFn: async ({ current, next, action }) =>
      (current.pathname !== next.pathname || STEPS.includes(action)) && !(await mayLeave()),
    // platform/unsaved.ts has the browser ask, for every form.
    enableBeforeUnload: false,
  })
  const answer = useStore(leaveQuestion)
  // Without the dialog the browser asks.
  const module = useLater(loadDialog, answer !== undefined, () => answer?.(confirm(appMessages.leaving.text)))
  return module ? <module.LeaveDialog /> : null
}
