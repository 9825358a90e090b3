// Dialog that creates a namespace. The form loads on demand, because every page's shell contains this dialog.
import { Suspense, lazy } from 'react'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Skeleton } from '../../ui/kit.ts'
import { namespacesMessages as texts } from './messages.ts'
import { pageFile } from '../../platform/page-files.ts'

const loadForm = pageFile(() => import('./create-namespace-form.tsx'))
const Form = lazy(async () => ({ default: (await loadForm()).CreateNamespaceForm }))

interface CreateNamespaceProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function CreateNamespace({ opened, onClose }: CreateNamespaceProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.createTitle}>
      <Suspense fallback={<Skeleton height={120} />}>
        <Form onDone={onClose} />
      </Suspense>
    </Dialog>
  )
}
