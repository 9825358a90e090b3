// Page for somebody signed in without any namespace: explains how to get one.
import { Boxes } from 'lucide-react'
import { useState } from 'react'
import { CreateNamespace } from '../features/namespaces/create-namespace.tsx'
import { DeletedNamespaces } from '../features/namespaces/deleted-namespaces.tsx'
import { namespacesMessages } from '../features/namespaces/messages.ts'
import { OwnInvitations } from '../features/people/own-invitations.tsx'
import { EmptyState } from '../ui/feedback/empty-state.tsx'
import { Button } from '../ui/kit.ts'
import { Page } from '../ui/page/page.tsx'
import { usePerson } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'

export function NoNamespace() {
  const mayCreate = usePerson()?.max_namespaces !== 0
  const [creating, setCreating] = useState(false)
  return (
    <Page title={texts.noNamespace}>
      <OwnInvitations />
      <DeletedNamespaces />
      <EmptyState
        icon={<Boxes size={24} />}
        title={texts.noNamespace}
        text={mayCreate ? texts.noNamespaceText : texts.noNamespaceAsk}
      >
        {mayCreate ? <Button onClick={() => setCreating(true)}>{namespacesMessages.create}</Button> : null}
      </EmptyState>
      <CreateNamespace opened={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}
