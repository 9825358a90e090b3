// Sign-in through the organisation's own identity provider; shown where the server offers it.
import { openid, saml } from '@bowline/contract/operations/single-sign-on'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { signInMessages as texts } from './messages.ts'

interface SsoButtonProps {
  /** The OpenID provider; undefined for SAML. */
  readonly provider?: { readonly id: string; readonly name: string }
  /** Page to open afterwards. */
  readonly next: string | undefined
  /** The provider asks the person anew, so that the sign-in is a fresh proof. */
  readonly fresh?: boolean
  readonly onFailure: (error: unknown) => void
}

export function SsoButton({ provider, next, fresh = false, onFailure }: SsoButtonProps) {
  const { api } = useRuntime()
  const [isLeaving, setLeaving] = useState(false)
  const leave = async () => {
    setLeaving(true)
    try {
      const query = { ...(next === undefined ? {} : { next }), ...(fresh ? { fresh: 'true' as const } : {}) }
      const { body } = provider
        ? await api.call(openid.start, { params: { id: provider.id }, query })
        : await api.call(saml.start, { query })
      const { href, protocol } = new URL(body.url)
      if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(texts.noProvider)
      location.assign(href)
    } catch (error) {
      setLeaving(false)
      onFailure(error)
    }
  }
  return (
    <Button variant="default" fullWidth loading={isLeaving} onClick={() => void leave()}>
      {provider ? texts.ssoWith(provider.name) : texts.sso}
    </Button>
  )
}
