// Page in a namespace that administrators of the server have disabled: says so instead of many failed lists.
import { Ban } from 'lucide-react'
import { appMessages as texts } from '../core/messages.ts'
import { EmptyState } from '../ui/feedback/empty-state.tsx'
import { Button } from '../ui/kit.ts'
import { Page } from '../ui/page/page.tsx'
import { uiMessages } from '../ui/messages.ts'

export function DisabledNamespace({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Page title={texts.disabledNamespace}>
      <EmptyState icon={<Ban size={24} />} title={texts.disabledNamespace} text={texts.disabledNamespaceText}>
        <Button variant="default" onClick={onRetry}>
          {uiMessages.retry}
        </Button>
      </EmptyState>
    </Page>
  )
}
