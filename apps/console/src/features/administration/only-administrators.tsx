// Shows a page to administrators of the server, and others why they do not see it.
import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { usePerson } from '../../core/context.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { administrationMessages as texts } from './messages.ts'

/** `children` is not rendered, and asks nothing of the server, for anybody else. */
export function OnlyAdministrators({
  title,
  children,
}: {
  readonly title: string
  readonly children: () => ReactNode
}) {
  if (usePerson()?.instance_admin === true) return children()
  return (
    <Page title={title}>
      <EmptyState icon={<Lock size={24} />} title={texts.noAccess} text={texts.noAccessText} />
    </Page>
  )
}
