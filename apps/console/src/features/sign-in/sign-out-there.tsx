// Offer after signing out: the session at the OpenID provider would sign the next person in again.
import { openid } from '@bowline/contract/operations/single-sign-on'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { forgetLeftProvider, leftProvider } from '../../auth/sign-in-provider.ts'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button, Stack } from '../../ui/kit.ts'
import { signInMessages as texts } from './messages.ts'

interface SignOutThereProps {
  /** Those that are on. */
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

export function SignOutThere({ providers }: SignOutThereProps) {
  const { api } = useRuntime()
  const [left] = useState(() => leftProvider())
  const provider = providers.find(({ id }) => id === left)
  const address = useQuery({
    queryKey: ['sign-out-address', left],
    enabled: provider !== undefined,
    retry: false,
    queryFn: async ({ signal }) => (await api.call(openid.signOut, { params: { id: left }, signal })).body.url,
  })
  const url = URL.parse(address.data ?? '')
  if (!provider || !url || !['https:', 'http:'].includes(url.protocol)) return null
  return (
    <Callout tone="note">
      <Stack gap="xs">
        {texts.signedOutText(provider.name)}
        <Button
          variant="default"
          onClick={() => {
            forgetLeftProvider()
            location.assign(url.href)
          }}
        >
          {texts.signOutThere(provider.name)}
        </Button>
      </Stack>
    </Callout>
  )
}
