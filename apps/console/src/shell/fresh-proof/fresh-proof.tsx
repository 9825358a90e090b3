// Asks for a second factor when a call needs a fresh proof. The dialog is loaded on first use.
import { useRuntime, useStore } from '../../core/context.tsx'
import { useLater } from '../../platform/lazy-part.tsx'
import { pageFile } from '../../platform/page-files.ts'

const loadDialog = pageFile(() => import('./fresh-proof-dialog.tsx'))

export function FreshProof() {
  const { proofs } = useRuntime()
  // Without the dialog the call fails with what the server said.
  const module = useLater(loadDialog, useStore(proofs.reason) !== undefined, () => proofs.settle(false))
  return module ? <module.FreshProofDialog /> : null
}
