// Dialog that creates a namespace, in a file of its own, because every page's shell contains it.
import { useDialogFile } from '../../core/use-dialog-file.ts'
import { pageFile } from '../../platform/page-files.ts'
import type { CreateNamespaceProps } from './create-namespace-dialog.tsx'

const loadDialog = pageFile(() => import('./create-namespace-dialog.tsx'))

export function CreateNamespace(props: CreateNamespaceProps) {
  const module = useDialogFile(loadDialog, props.opened, props.onClose)
  return module ? <module.CreateNamespaceDialog {...props} /> : null
}
