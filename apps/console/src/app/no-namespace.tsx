// Somebody who is signed in but belongs to no namespace: there is nothing to show, only what to do about it.
import { Boxes } from 'lucide-react'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { appMessages as texts } from './messages.ts'

export function NoNamespace() {
  return (
    <Page title={texts.noNamespace}>
      <EmptyState icon={<Boxes size={24} />} title={texts.noNamespace} text={texts.noNamespaceText} />
    </Page>
  )
}
