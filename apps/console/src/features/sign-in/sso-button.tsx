// Sign-in through the organisation's own identity provider; shown where the server offers it.
import { saml } from '@bowline/contract/operations/mfa'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { signInMessages as texts } from './messages.ts'

interface SsoButtonProps {
  readonly onFailure: (error: unknown) => void
}

export function SsoButton({ onFailure }: SsoButtonProps) {
  const { api } = useRuntime()
  const [isLeaving, setLeaving] = useState(false)
  const leave = async () => {
    setLeaving(true)
    try {
      const { body } = await api.call(saml.start, {})
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
      {texts.sso}
    </Button>
  )
}
