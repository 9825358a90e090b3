// After a sign-in with a recovery code: offers to switch the second factor off. The dialog is loaded on first use.
import { type ComponentType, useEffect, useState } from 'react'
import { useRuntime, useStore } from '../../core/context.tsx'
import { pageFile } from '../../platform/page-files.ts'

const loadDialog = pageFile(() => import('./recovered-dialog.tsx'))

export function Recovered() {
  const { usedRecoveryCode } = useRuntime()
  const isAsking = useStore(usedRecoveryCode) !== ''
  const [loaded, setLoaded] = useState<{ readonly Dialog: ComponentType }>()
  useEffect(() => {
    if (!isAsking || loaded) return
    // Without the dialog the profile still offers the same.
    loadDialog().then(
      ({ RecoveredDialog }) => setLoaded({ Dialog: RecoveredDialog }),
      () => usedRecoveryCode.set(''),
    )
  }, [isAsking, loaded, usedRecoveryCode])
  return loaded ? <loaded.Dialog /> : null
}
