// Proof by the organisation's own identity provider: a new sign-in there, which leads back to this page.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { infoQuery } from '../../features/instance/queries.ts'
import { secondFactorMessages as texts } from '../../features/second-factor/messages.ts'
import { SsoButton } from '../../features/sign-in/sso-button.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'

export function ProviderProof() {
  const { api } = useRuntime()
  const info = useQuery(infoQuery(api))
  const [failure, setFailure] = useState<unknown>()
  const { saml, openid } = info.data?.authentication ?? { saml: false, openid: [] }
  const next = location.pathname + location.search
  return (
    <>
      {failure === undefined ? null : <ErrorPanel title={texts.proofSignInFailed} error={failure} />}
      {saml ? <SsoButton next={next} fresh onFailure={setFailure} /> : null}
      {openid.map((provider) => (
        <SsoButton key={provider.id} provider={provider} next={next} fresh onFailure={setFailure} />
      ))}
    </>
  )
}
