// Asks for a second factor when a call needs a fresh proof. The dialog is loaded on first use.
import { type ComponentType, useEffect, useState } from 'react'
import { useRuntime, useStore } from '../../core/context.tsx'
import { pageFile } from '../../platform/page-files.ts'

const loadDialog = pageFile(() => import('./fresh-proof-dialog.tsx'))

export function FreshProof() {
  const { proofs } = useRuntime()
  const isAsking = useStore(proofs.isAsking)
  const [loaded, setLoaded] = useState<{ readonly Dialog: ComponentType }>()
  useEffect(() => {
    if (!isAsking || loaded) return
    // Without the dialog the call fails with what the server said.
    loadDialog().then(
      ({ FreshProofDialog }) => setLoaded({ Dialog: FreshProofDialog }),
      () => proofs.settle(false),
    )
  }, [isAsking, loaded, proofs])
  return loaded ? <loaded.Dialog /> : null
}
