// Binds the page that links an account to its route.
import { getRouteApi } from '@tanstack/react-router'
import { safeRedirect } from '../../auth/redirect.ts'
import { noteProvider } from '../../auth/sign-in-provider.ts'
import { LinkPage } from './link-page.tsx'
import { ProofPage } from './proof-page.tsx'

const route = getRouteApi('/sign-in/link')

export function LinkRoute() {
  const { token = '', proof, redirect, provider } = route.useSearch()
  const navigate = route.useNavigate()
  const leave = () => void navigate({ href: safeRedirect(redirect, location.origin), replace: true })
  if (proof !== undefined) return <ProofPage proof={proof} onDone={leave} />
  return <LinkPage token={token} onProven={() => noteProvider(provider)} onDone={leave} />
}
