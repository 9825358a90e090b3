// After a sign-in with a recovery code: offers to switch the second factor off. The dialog is loaded on first use.
import { useRuntime, useStore } from '../../core/context.tsx'
import { useLater } from '../../platform/lazy-part.tsx'
import { pageFile } from '../../platform/page-files.ts'

const loadDialog = pageFile(() => import('./recovered-dialog.tsx'))

export function Recovered() {
  const { usedRecoveryCode } = useRuntime()
  // Without the dialog the profile still offers the same.
  const module = useLater(loadDialog, useStore(usedRecoveryCode) !== '', () => usedRecoveryCode.set(''))
  return module ? <module.RecoveredDialog /> : null
}
